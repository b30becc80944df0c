output "cp1" {
  value = proxmox_virtual_environment_vm.cp1.initialization[0].ip_config[0].ipv4[0].address
}

output "worker1" {
  value = proxmox_virtual_environment_vm.worker1.initialization[0].ip_config[0].ipv4[0].address
}

output "nas" {
  value = proxmox_virtual_environment_vm.nas.initialization[0].ip_config[0].ipv4[0].address
}

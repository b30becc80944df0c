resource "proxmox_virtual_environment_vm" "cp1" {
  name      = "cp1"
  node_name = "pve1"

  clone {
    vm_id = var.image_id
  }

  memory {
    dedicated = var.node_memory
  }

  initialization {
    ip_config {
      ipv4 {
        address = "10.0.10.11/24"
        gateway = "10.0.10.1"
      }
    }
  }
}

resource "proxmox_virtual_environment_vm" "worker1" {
  name      = "worker1"
  node_name = "pve2"

  clone {
    vm_id = var.image_id
  }

  memory {
    dedicated = var.node_memory
  }

  initialization {
    ip_config {
      ipv4 {
        address = "10.0.10.21/24"
        gateway = "10.0.10.1"
      }
    }
  }
}

resource "proxmox_virtual_environment_vm" "nas" {
  name      = "nas"
  node_name = "pve2"

  clone {
    vm_id = var.image_id
  }

  memory {
    dedicated = 2048
  }

  initialization {
    ip_config {
      ipv4 {
        address = "10.0.10.5/24"
        gateway = "10.0.10.1"
      }
    }
  }
}

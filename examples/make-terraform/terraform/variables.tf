variable "pve_endpoint" {
  type = string
}

variable "pve_api_token" {
  type      = string
  sensitive = true
}

variable "node_memory" {
  type    = number
  default = 4096
}

variable "image_id" {
  type    = number
  default = 9000
}

"""What `gpu_config` is made of: fields of a ConfigProto, calls that take one, places for set-ups."""

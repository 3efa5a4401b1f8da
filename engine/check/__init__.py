"""What an administrator should see of a configuration."""

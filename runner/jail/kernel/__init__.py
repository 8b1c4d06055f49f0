"""Interfaces of the Linux kernel that jails use."""

"""Paths in jails, which are the same in each."""

NODE = "/node"
"""The path of Node's executable in jails."""

RUN_NODE = (NODE, "--disable-sigusr1")
"""The beginning of a command that runs Node. The option is a second wall: by SIGUSR1, another
program of the jail could open Node's inspector, and take the process over."""

NODE_MODULES = "/node_modules"
"""The folder of the pinned packages in jails. It is at the root, so that programs in all folders
import these packages."""

HARNESS = "/harness"
"""The folder of our own programs in jails, each in a subfolder."""

PROJECT = "/project"
"""The folder in jails with the files that the model wrote."""

APPS = "/apps"
"""The folder in jails of the apps that a grader deploys before the answer, each in a subfolder."""

SCRATCH = "/scratch"
"""The folder in jails that programs may write to, also their sockets."""

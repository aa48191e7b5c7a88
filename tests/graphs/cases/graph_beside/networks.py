from networks_core import *  # what programs import

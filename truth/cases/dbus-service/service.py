"""A service with a quick method and a slow one."""
import hashlib
import pathlib
import sys

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib


class Shop(dbus.service.Object):
    @dbus.service.method("org.example.Shop", out_signature="s")
    def Price(self):
        return "1"

    @dbus.service.method("org.example.Shop", out_signature="s")
    def Verify(self):
        return hashlib.pbkdf2_hmac("sha256", b"secret", b"salt", 1200000).hex()


DBusGMainLoop(set_as_default=True)
bus = dbus.bus.BusConnection(sys.argv[1])
name = dbus.service.BusName("org.example.Shop", bus)
shop = Shop(bus, "/shop")
pathlib.Path(sys.argv[2]).touch()
GLib.MainLoop().run()

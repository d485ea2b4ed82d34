"""Node: reads of files wait in libuv's pool of four threads, which all hash passwords."""
from case import Case


class Fault(Case):
    title = "a file is read late, as the threads of libuv's pool all hash passwords"
    runtime = "Node"
    packages = ("nodejs",)
    programs = ("node",)
    culprit = ("PKCS5_PBKDF2_HMAC", "kdf_pbkdf2_derive", "EVP_KDF_derive",
               "sha512_block_data_order_avx2", "sha512_block_data_order", "SHA512_Update")

    def command(self, slow):
        return ["node", self.source / "read.js", "8" if slow else "0"]

"""lode-dask over TLS, with recordings, digests of parts and output in an S3 store that fails."""
import glob
import importlib.util
import os
import shutil
import subprocess
import sys

import failing
import harness
import on_dask

KEY = "S3RVER"  # the only one that s3rver knows; it does not check what the secret signs
SECRET = "not-for-anybodys-eyes"
LARGE = 20 << 20   # three ranges


def lacks():
    if on_dask.lacks():
        return on_dask.lacks()
    if not importlib.util.find_spec("boto3"):
        return "S3 has no client here (python3-boto3)"
    if not shutil.which("node") or not os.path.exists(failing.S3RVER):
        return "there is no S3 server here: tools/install-deps gets s3rver from npm"
    return "" if shutil.which("openssl") else "openssl is not installed, which makes certificates"


def encrypt(test):
    """All of the cluster, and its clients, by one certificate."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
                    "-days", "2", "-subj", "/CN=localhost"], check=True, capture_output=True)
    tls = "DASK_DISTRIBUTED__COMM__TLS__"
    test.env["DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION"] = "True"
    test.env[tls + "CA_FILE"] = os.path.abspath("cert.pem")
    for who in ("SCHEDULER", "WORKER", "CLIENT"):
        test.env[f"{tls}{who}__CERT"] = os.path.abspath("cert.pem")
        test.env[f"{tls}{who}__KEY"] = os.path.abspath("key.pem")


def put_recordings(test, stores):
    """Every third one is there, and one of several ranges, whose connections are cut, too."""
    harness.write_recordings("s3://lode/in")
    with open("large.folded", "wb") as file:
        line = b"app;main;" + b"large;" * 10000
        file.writelines(line + b"leaf%d 7\n" % i for i in range(LARGE // len(line)))
    for name, line in (("one.manifest", "large.folded\tname=s3://lode/in/large.folded"),
                       ("all.manifest", "s3://lode/in/large.folded")):
        with open(name, "a", encoding="utf-8") as file:
            file.write(line + "\n")
    for path in glob.glob("r*.folded") + ["large.folded"]:
        stores.put(path, f"s3://lode/in/{path}")
    stores.fetch("s3://lode/in/large.folded", "back")
    with open("large.folded", "rb") as one, open("back", "rb") as other:
        assert one.read() == other.read(), "what comes back is not what was put"
    test.one_process()


def keeps_secrets(test, words, stores):
    """Neither in what is said nor in what is stored; signed addresses are refused, without being said again."""
    harness.write_manifest("signed.manifest", ["https://127.0.0.1/a?X-Amz-Signature=" + SECRET])
    said = test.driver(words[0], "signed.manifest", *words[2:], "-o", "x.digest", expect=(4,), says="credentials must be")
    wrong = subprocess.run([sys.executable, "-c", "from lode_fleet import stores; stores.size('s3://lode/in/r000.folded')"],
                           env=dict(test.env, AWS_ACCESS_KEY_ID="NOBODY"), capture_output=True, text=True, check=False)
    assert "StoreError: s3://lode/in/r000.folded" in wrong.stderr and "403" in wrong.stderr, wrong.stderr
    assert SECRET not in said and SECRET not in wrong.stderr
    try:
        stores.fetch("s3://lode/in/none", "none")
        raise AssertionError("a file that is not there was fetched")
    except FileNotFoundError:
        pass


def needs_a_certificate(test, words):
    """Of who would give the cluster work."""
    certificates = {key: value for key, value in test.env.items() if "__TLS__CLIENT" in key}
    for key in certificates:
        del test.env[key]
    said = test.driver(*words, "-o", "x.digest", "--work", "none.work", expect=(4,), says=words[3])
    assert "Traceback" not in said, said
    test.env.update(certificates)


def run(test):
    sys.path.insert(0, harness.DRIVERS)
    from lode_fleet import stores
    server = failing.serve_s3(test, "lode")
    for env in (test.env, os.environ):
        env.update(AWS_ENDPOINT_URL=f"http://127.0.0.1:{server.server_address[1]}", AWS_ACCESS_KEY_ID=KEY,
                   AWS_SECRET_ACCESS_KEY=SECRET, AWS_EC2_METADATA_DISABLED="true")
    encrypt(test)
    put_recordings(test, stores)
    address = f"tls://127.0.0.1:{harness.free_port()}"
    words = ["lode-dask", "all.manifest", "--scheduler", address, "--parts", str(harness.N_PARTS)]
    keeps_secrets(test, words, stores)
    on_dask.start_cluster(test, address, 3)
    needs_a_certificate(test, words)
    test.driver(*words, "-o", "s3://lode/out.digest")
    stores.fetch("s3://lode/out.digest", "out.digest")
    test.same("out.digest")
    kept = subprocess.run(["grep", "-rl", SECRET, "--include=*.manifest", "--include=*.digest*", "--include=worker*.log",
                           "--include=scheduler.log", "."], capture_output=True, text=True, check=False).stdout
    assert kept.split() == ["./signed.manifest"], kept
    server.shutdown()

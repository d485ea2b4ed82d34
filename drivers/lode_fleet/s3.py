"""S3 for fsspec where s3fs is not installed: what stores.py asks of a store, on boto3, which Debian has.

Which store, and who asks, say boto3's variables: AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
AWS_PROFILE and their like; or those of fsspec, FSSPEC_S3_ENDPOINT_URL, which s3fs reads as well.
"""
import contextlib
import errno
import functools
import os

import boto3
import botocore.config
import botocore.exceptions
import fsspec

from . import stores

NO_CREDENTIALS = (botocore.exceptions.NoCredentialsError, botocore.exceptions.PartialCredentialsError,
                  botocore.exceptions.ProfileNotFound)
PART_BYTES, MAX_PARTS = 8 << 20, 10000  # S3 takes no more of them


@functools.lru_cache(maxsize=None)
def _client(endpoint, key, secret, token):
    """Made once, as it takes a tenth of a second; any thread may use it."""
    config = botocore.config.Config(
        connect_timeout=10, read_timeout=60, retries={"total_max_attempts": 1},  # stores.py has its own
        s3={"addressing_style": "path"} if endpoint else None)  # https://bucket.host/ is AWS's own
    session = boto3.session.Session(aws_access_key_id=key, aws_secret_access_key=secret, aws_session_token=token)
    return session.client("s3", endpoint_url=endpoint, config=config)


class S3(fsspec.AbstractFileSystem):
    protocol = ("s3", "s3a")

    def __init__(self, endpoint_url=None, key=None, secret=None, token=None, **options):
        super().__init__(**options)
        self.session = (endpoint_url or os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL"),
                        key, secret, token)

    def _ask(self, what, path, **options):
        """One request about a file; a refusal is not worth asking again."""
        bucket, _, key = self._strip_protocol(path).partition("/")
        try:
            return getattr(_client(*self.session), what)(Bucket=bucket, Key=key, **options)
        except NO_CREDENTIALS as error:
            raise PermissionError(errno.EACCES, str(error), path) from None
        except botocore.exceptions.ClientError as error:
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
            if status == 404:
                raise FileNotFoundError(errno.ENOENT, "no such bucket or file", path) from None
            if status in (401, 403):
                raise PermissionError(errno.EACCES, str(error), path) from None
            raise

    def info(self, path, **_):
        head = self._ask("head_object", path)
        return {"name": path, "type": "file", "size": head["ContentLength"], "ETag": head["ETag"]}

    def cat_file(self, path, start=None, end=None, **_):
        options = {} if start is None else {"Range": f"bytes={start}-{end - 1}"}
        with self._ask("get_object", path, **options)["Body"] as body:
            return body.read()

    def put_file(self, lpath, rpath, **_):
        with open(lpath, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > PART_BYTES:
                self._put_parts(file, size, rpath)
            else:
                self._ask("put_object", rpath, Body=file)

    def _put_parts(self, file, size, path):
        """One by one, so that a connection that is cut costs one; they are a file once all are there."""
        upload = stores.again(path, lambda: self._ask("create_multipart_upload", path)["UploadId"])
        part_bytes, tags = max(PART_BYTES, -(-size // MAX_PARTS)), []
        try:
            while data := file.read(part_bytes):
                tags.append(stores.again(f"{path}, part {len(tags) + 1}", lambda data=data: self._ask(
                    "upload_part", path, UploadId=upload, PartNumber=len(tags) + 1, Body=data)["ETag"]))
            parts = [{"PartNumber": number, "ETag": tag} for number, tag in enumerate(tags, 1)]
            stores.again(path, lambda: self._complete(path, size, upload, parts))
        except BaseException:
            with contextlib.suppress(Exception):
                self._ask("abort_multipart_upload", path, UploadId=upload)
            raise

    def _complete(self, path, size, upload, parts):
        try:
            self._ask("complete_multipart_upload", path, UploadId=upload, MultipartUpload={"Parts": parts})
        except FileNotFoundError:  # an earlier try was heard, and its answer lost
            if self.info(path)["size"] != size:
                raise

    def rm_file(self, path):
        self._ask("delete_object", path)

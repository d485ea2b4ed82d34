// Reads a file through the pool while argv[2] passwords are hashed there; prints how late the file came.
const crypto = require('crypto'), fs = require('fs');
const jobs = Number(process.argv[2]);

for (let i = 0; i < jobs; i++)
    crypto.pbkdf2('secret', 'salt', 150000, 64, 'sha512', () => {});
const asked = process.hrtime.bigint();
fs.readFile(__filename, () => {
    console.log('fault_ns ' + (process.hrtime.bigint() - asked));
    process.exit(0);
});

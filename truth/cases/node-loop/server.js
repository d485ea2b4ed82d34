// Answers at once, except for /report, which computes in the event loop.
const http = require('http');

function renderReport(rows) {
	let sum = 0;
	for (let i = 0; i < rows; i++)
		sum = (Math.imul(sum ^ i, 16777619) + (i % 7)) | 0;
	return sum;
}

http.createServer((request, response) => {
	response.end(request.url === '/report' ? String(renderReport(60000000)) : 'ok');
}).listen(Number(process.argv[2]), '127.0.0.1');

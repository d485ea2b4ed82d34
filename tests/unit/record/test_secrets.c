/* Secrets on command lines are hidden, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/secrets.h"

/* Arguments are parted by '|'. */
static const struct {
	const char *before, *after;
} cases[] = {
	{"cc1|-quiet|-imultiarch|x86_64-linux-gnu|giant.c", NULL},
	{"postgres: app shop [local] SELECT", NULL},
	{"git|log|--author=me|--|keys.c|tokens", NULL},
	{"git|show|1234567890abcdef", NULL},
	{"/usr/lib/libreoffice/program/soffice.bin|--splash-pipe=5", NULL},
	{"php-fpm: pool www", NULL},
	{"app|--password=hunter2|--port=80", "app|--password=*|--port=80"},
	{"app|--db-password|hunter2|start", "app|--db-password|*|start"},
	{"app|--api-key|7", "app|--api-key|*"},
	{"env|PGPASSWORD=x y|psql", "env|PGPASSWORD=*|psql"},
	{"app|-c|PGPASSWORD=x psql -h db", "app|-c|PGPASSWORD=*"},
	{"titled: worker --password=x on port", "titled: worker --password=* on port"},
	{"mysql|-uroot|-phunter2|shop", "mysql|-uroot|-p*|shop"},
	{"make|-pj4", NULL},
	{"sh|-c|mysqldump -psecret shop", "sh|-c|mysqldump -p* shop"},
	{"curl|-u|me:pw|https://host/", "curl|-u|*|https://host/"},
	{"wget|https://me:pw@host/a@b", "wget|https://*@host/a@b"},
	{"git|clone|https://host/me@x", NULL},
	{"run|AKIAIOSFODNN7EXAMPLEabc123xyz", "run|*"},
	{"run|id=0123456789abcdef0123456789abcdef", "run|id=*"},
	{"java|-Dspring.datasource.password=pw|-jar|shop.jar",
	 "java|-Dspring.datasource.password=*|-jar|shop.jar"},
	{"app|--password", NULL},
	{"make|-j4|-pthread|-O2|main.c", NULL},
	{"ssh|-p|2222|host", NULL},
	{"mkdir|-p|/srv/app", NULL},
	{"app|--port=80|--name=web|--level:5", NULL},
	{"app|http://host:80/a/b?page=2&sort=up", NULL},
	/* Each by name, by option, in a URL, in a connection string, as a header, by shape. */
	{"python3|a.py|-u|admin:pw", "python3|a.py|-u|admin:*"},
	{"a|-uadmin:pw", "a|-uadmin:*"},
	{"a|--user=admin:pw", "a|--user=admin:*"},
	{"python3|a.py|-H|X-Auth:pw", "python3|a.py|-H|X-Auth:*"},
	{"curl|-H|Authorization: Bearer tok12345|x", "curl|-H|Authorization: *|x"},
	{"a|--header|Authorization:Bearer_tok12345", "a|--header|Authorization:*"},
	{"curl|-H|X-Custom: 17|-H|Accept: text/plain", "curl|-H|X-Custom: *|-H|Accept: text/plain"},
	{"curl|-b|sid=1;Cookie: a=b", "curl|-b|sid=1;Cookie: *"},
	{"a|https://x/?sig=abc&page=2&token=tok33", "a|https://x/?sig=*&page=2&token=*"},
	{"a|https://x.blob/c?sv=1&sig=a%2Bb", "a|https://x.blob/c?sv=1&sig=*"},
	{"a|https://x/?api_key=k1&X-Amz-Signature=0a", "a|https://x/?api_key=*&X-Amz-Signature=*"},
	{"a|Server=x;Pwd=mssql88;Database=d", "a|Server=x;Pwd=*;Database=d"},
	{"a|Host=x;Password=two words;Port=1", "a|Host=x;Password=*;Port=1"},
	{"a|AccountName=n;AccountKey=ab==;EndpointSuffix=s",
	 "a|AccountName=n;AccountKey=*;EndpointSuffix=s"},
	{"a|host=db user=me password=pw dbname=d", "a|host=db user=me password=* dbname=d"},
	{"a|{\"user\":\"me\",\"password\":\"p w\",\"n\":1}",
	 "a|{\"user\":\"me\",\"password\":\"*\",\"n\":1}"},
	{"sshpass|-p|pw|ssh|host", "sshpass|-p|*|ssh|host"},
	{"sshpass|-p|12345|ssh|host", "sshpass|-p|*|ssh|host"},
	{"python3|x|sshpass|-p|pw", "python3|x|sshpass|-p|*"},
	{"ldapsearch|-x|-w|pw|-b|dc=x", "ldapsearch|-x|-w|*|-b|dc=x"},
	{"python3|x|ldap|-w|pw", "python3|x|ldap|-w|*"},
	{"redis-cli|-a|12|get", "redis-cli|-a|*|get"},
	{"python3|x|-a|pw", "python3|x|-a|*"},
	{"python3|x|-ppw", "python3|x|-p*"},
	{"mysql|-ppw", "mysql|-p*"},
	{"xfreerdp|/u:me|/p:pw", "xfreerdp|/u:me|/p:*"},
	{"smbclient|-U|me%pw|//h/s", "smbclient|-U|me%*|//h/s"},
	{"openssl|rsa|-passin|pass:pw", "openssl|rsa|-passin|*"},
	{"openssl|enc|-k|pw", "openssl|enc|-k|*"},
	{"zip|-P|pw|a.zip", "zip|-P|*|a.zip"},
	{"vault|login|s.abc", "vault|login|*"},
	{"snmpget|-v2c|-c|public|h", "snmpget|-v2c|-c|*|h"},
	{"psql|postgres://me:p/w@host/db", "psql|postgres://*@host/db"},
	{"psql|postgres://me:p@w@host/db", "psql|postgres://*@host/db"},
	{"ftp|me:pw@host", "ftp|me:*@host"},
	{"docker|login|-p|pw", "docker|login|-p|*"},
	{"nmcli|device|wifi|connect|n|password|two words",
	 "nmcli|device|wifi|connect|n|password|*"},
	{"gpg|--passphrase|two words|-d", "gpg|--passphrase|*|-d"},
	{"sh|-c|mysql --password 'two words' shop", "sh|-c|mysql --password '*' shop"},
	{"git|clone|https://ghp_0123456789abcdefghij@github.com/x",
	 "git|clone|https://*@github.com/x"},
	{"a|glpat-abcdefgh12345678", "a|*"},
	{"a|https://hooks/services/T0/B0/Ab1Cd2Ef3Gh4Ij5Kl6Mn7",
	 "a|https://hooks/services/T0/B0/*"},
	{"a|eyJhbGciOiJIUzI1NiJ9.e30.abc", "a|*"},
	{"aws|--secret-access-key|x|--region|eu", "aws|--secret-access-key|*|--region|eu"},
	{"mount|-o|username=me,password=pw|//h/s", "mount|-o|username=me,password=*|//h/s"},
};

static void test_what_looks_like_a_secret_is_hidden(void **state)
{
	size_t n_wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *after = cases[i].after ? cases[i].after : cases[i].before;
		size_t size = strlen(cases[i].before);
		char text[256];

		memcpy(text, cases[i].before, size + 1);
		for (size_t k = 0; k < size; k++)
			text[k] = text[k] == '|' ? '\0' : text[k];
		size = lode_secrets_hide(text, size);
		for (size_t k = 0; k < size; k++)
			if (!text[k])
				text[k] = '|';
		text[size] = '\0';
		if (strcmp(text, after) != 0)
			print_error("%s\n  gives %s\n  not   %s\n", cases[i].before, text, after);
		n_wrong += strcmp(text, after) != 0;
	}
	assert_int_equal(n_wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_looks_like_a_secret_is_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <signal.h>

#include <cstdio>

#include "server/server_fixture.h"

namespace holdfast::server_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// What a shell command prints.
std::string output_of(const std::string& command) {
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    for (int letter = 0; (letter = std::fgetc(pipe)) != EOF;) text.push_back(static_cast<char>(letter));
    pclose(pipe);
    return text;
}

class Tls : public ServerTest {
protected:
    /// A certificate for 127.0.0.1, signed by itself, under that name.
    void make_certificate(const std::string& name) const {
        (void)output_of(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=" + name +
            " -addext subjectAltName=IP:127.0.0.1 -keyout " + key() + " -out " + certificate() + " 2>&1");
    }
    [[nodiscard]] std::string certificate() const { return folder.path() + "/tls.crt"; }
    [[nodiscard]] std::string key() const { return folder.path() + "/tls.key"; }
    [[nodiscard]] std::unique_ptr<ServingProgram> serve_tls() {
        return serve({"--tls-cert", certificate(), "--tls-key", key()});
    }
    /// Whom the server says it is.
    [[nodiscard]] static std::string subject(const ServingProgram& server) {
        return output_of("openssl s_client -connect 127.0.0.1:" + std::to_string(server.port()) +
                         " </dev/null 2>/dev/null | openssl x509 -noout -subject 2>&1");
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Tls, testing::Values(StoreKind::Sqlite), integration::name_of);

TEST_P(Tls, IsSpokenWithTheCertificateThatIsNamed) {
    make_certificate("first");
    const auto server = serve_tls();
    EXPECT_THAT(server->url(), HasSubstr("https://127.0.0.1:"));
    http::Client client({.url = server->url(), .ca_file = certificate()});
    const auto answer = client.send("GET", "/healthz");
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.headers, testing::Contains(testing::Pair("strict-transport-security", testing::_)));
}

TEST_P(Tls, ChangesItsCertificateOnSighupWithoutARestart) {
    make_certificate("first");
    const auto server = serve_tls();
    EXPECT_THAT(subject(*server), HasSubstr("first"));
    make_certificate("second");
    server->program().send(SIGHUP);
    wait_until([&] { return subject(*server).find("second") != std::string::npos; }, "the new certificate");
}

TEST_P(Tls, KeepsItsCertificateWhenTheNewOneCannotBeUsed) {
    make_certificate("first");
    const auto server = serve_tls();
    folder.write("tls.crt", "nonsense");
    server->program().send(SIGHUP);
    EXPECT_THAT(subject(*server), HasSubstr("first"));
    const auto ran = server->stop(SIGTERM);
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_THAT(ran.err, HasSubstr("tls.crt"));
}

TEST_P(Tls, TakesOnlyCiphersWithForwardSecrecy) {
    // With an RSA key, which the key exchange without forward secrecy needs.
    (void)output_of(
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=rsa -addext subjectAltName=IP:127.0.0.1 "
        "-keyout " +
        key() + " -out " + certificate() + " 2>&1");
    const auto server = serve_tls();
    const auto handshake = [&](const std::string& options) {
        return output_of("openssl s_client -connect 127.0.0.1:" + std::to_string(server->port()) + " " + options +
                         " </dev/null 2>&1");
    };
    for (const std::string suite : {"AES128-GCM-SHA256", "AES256-SHA256", "ECDHE-RSA-AES128-SHA256", "AES128-SHA"}) {
        EXPECT_THAT(handshake("-tls1_2 -cipher " + suite), HasSubstr("Cipher is (NONE)")) << suite;
    }
    for (const std::string suite : {"ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-CHACHA20-POLY1305"}) {
        EXPECT_THAT(handshake("-tls1_2 -cipher " + suite), HasSubstr("Cipher is " + suite));
    }
    EXPECT_THAT(handshake("-tls1_3"), HasSubstr("Cipher is TLS_"));
    EXPECT_THAT(handshake("-tls1_1 -cipher ALL:@SECLEVEL=0"), HasSubstr("Cipher is (NONE)"));
}

TEST_P(Tls, NeedsBothFiles) {
    const auto ran = holdfast({"server", "--port", "0", "--tls-cert", "a.crt"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("--tls-cert"), HasSubstr("tls_key")));
}

}  // namespace
}  // namespace holdfast::server_test

#include "server/http/client.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/text.h"
#include "holdfast/errors.h"
#include "server/http/address.h"
#include "server/http/message_reader.h"
#include "tests/http/certificate.h"
#include "tests/http/test_server.h"

namespace holdfast::http::testing {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ClientLocation, IsReadFromTheUrl) {
    const Location plain = parse_location("http://127.0.0.1:7070");
    EXPECT_FALSE(plain.secure);
    EXPECT_EQ(plain.host, "127.0.0.1");
    EXPECT_EQ(plain.port, 7070);
    const Location secure = parse_location("https://holdfast.example/");
    EXPECT_TRUE(secure.secure);
    EXPECT_EQ(secure.host, "holdfast.example");
    EXPECT_EQ(secure.port, 443);
    EXPECT_EQ(parse_location("http://[::1]:80").host, "::1");
    EXPECT_EQ(parse_location("http://[::1]:81").port, 81);
    EXPECT_EQ(parse_location("http://host").port, 80);
}

TEST(ClientLocation, WhatIsNoUrlOfAServerIsRefused) {
    for (const char* url :
         {"", "host:80", "ftp://host", "http://", "http://:80", "http://host:0", "http://host:99999", "http://host:x",
          "http://host/path", "http://u:p@host", "http://[::1", "http://[::1]x", "http://a b", "http://host:"})
        EXPECT_THROW((void)parse_location(url), BadInput) << url;
}

TEST(Client, SendsAndReceivesOverOneConnection) {
    TestServer server;
    Client client({.url = server->url(), .token = "hf_secret"});
    for (int number = 0; number < 3; ++number) {
        const auto answer = client.send("POST", concat("/echo/", number), "{\"a\":1}");
        EXPECT_EQ(answer.status, 200);
        const json echo = json::parse(answer.body);
        EXPECT_EQ(echo["body"], "{\"a\":1}");
        EXPECT_EQ(echo["path"][1], std::to_string(number));
        EXPECT_EQ(echo["authorization"], "Bearer hf_secret");
        EXPECT_EQ(echo["content-type"], "application/json");
    }
    EXPECT_EQ(server->counts().connections, 1U);
}

TEST(Client, AnyStatusIsAnAnswer) {
    TestServer server;
    Client client({.url = server->url()});
    EXPECT_EQ(client.send("GET", "/nothing").status, 404);
    EXPECT_EQ(client.send("GET", "/throw").status, 500);
    EXPECT_EQ(client.send("DELETE", "/empty").status, 204);
    EXPECT_EQ(client.send("HEAD", "/large?bytes=100").body, "");
    EXPECT_EQ(client.send("GET", "/large?bytes=5000000").body.size(), 5'000'000U);
    EXPECT_EQ(client.send("GET", "/a//b").status, 400);
    EXPECT_EQ(client.send("GET", "/echo").status, 200) << "after the server has closed the connection";
}

TEST(Client, RefusalOfALargeBodyIsHeard) {
    TestServer server({.max_body_bytes = 1000});
    Client client({.url = server->url()});
    EXPECT_EQ(client.send("POST", "/echo", std::string(500'000, 'x')).status, 413);
}

TEST(Client, ConnectionThatTheServerClosedMeanwhileIsOpenedAgain) {
    TestServer server({.idle_timeout = 50ms});
    Client client({.url = server->url()});
    EXPECT_EQ(client.send("GET", "/echo").status, 200);
    ASSERT_TRUE(eventually([&] { return server->counts().connections == 0; }));
    EXPECT_EQ(client.send("POST", "/echo", "{}").status, 200);
}

TEST(Client, SaysThatNothingListens) {
    std::string url;
    {
        TestServer server;
        url = server->url();
    }
    Client client({.url = url});
    EXPECT_THAT([&] { (void)client.send("GET", "/"); },
                ThrowsMessage<Unavailable>(HasSubstr(concat("the server at ", url, " cannot be reached: nothing"))));
    EXPECT_THAT([&] { (void)client.send("POST", "/", "{}"); },
                ThrowsMessage<Unavailable>(HasSubstr("is it running?")));
}

TEST(Client, NameThatIsNotKnownIsSaidToBe) {
    Client client({.url = "http://no-such-host.invalid"});
    EXPECT_THAT([&] { (void)client.send("GET", "/"); }, ThrowsMessage<Unavailable>(HasSubstr("name is not known")));
}

TEST(Client, LostConnectionLeavesOnlyChangesInDoubt) {
    TestServer server({.workers = 1});
    for (const char* method : {"GET", "POST"}) {
        Client client({.url = server->url(), .answer_timeout = 200ms});
        try {
            (void)client.send(method, "/gate");
            FAIL() << "answered by a handler that waits";
        } catch (const CommitInDoubt&) {
            EXPECT_STREQ(method, "POST");
        } catch (const Unavailable& failure) {
            EXPECT_STREQ(method, "GET");
            EXPECT_THAT(failure.what(), HasSubstr("no answer came within 200ms"));
        }
    }
}

TEST(Client, HeadersCannotBeForged) {
    TestServer server;
    Client client({.url = server->url()});
    EXPECT_THROW((void)client.send("GET", "/a\r\nX: y"), BadInput);
    EXPECT_THROW((void)client.send("GET", "/a", {}, {{"X", "a\r\nY: b"}}), BadInput);
    EXPECT_THROW(Client({.url = server->url(), .token = "a\nb"}), BadInput);
}

TEST(ClientStream, ReceivesUntilTheServerEndsIt) {
    TestServer server({.stream_beat = 50ms});
    server.source->push({.event = "hello", .id = "1", .data = "{}"});
    Client client({.url = server->url()});
    std::vector<std::string> received;
    const auto answer = client.stream(
        "/stream",
        [&](const ServerSentEvent& event) {
            received.push_back(concat(event.event, "/", event.id, "/", event.data));
            if (event.event == "hello") server.source->push({.event = "next", .data = "[]"});
            if (event.event == "next") server.source->end();
            return true;
        },
        [] { return false; });
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(received, ElementsAre("hello/1/{}", "next//[]"));
}

TEST(ClientStream, EndsWhenTheCallerWants) {
    TestServer server;
    server.source->push({.data = "x"});
    Client client({.url = server->url()});
    int count = 0;
    client.stream(
        "/stream", [&](const ServerSentEvent&) { return ++count > 1; }, [] { return false; });
    EXPECT_EQ(count, 1);
    client.stream(
        "/stream", [](const ServerSentEvent&) { return true; }, [] { return true; });
    EXPECT_TRUE(eventually([&] { return server->counts().streams == 0; }));
    EXPECT_EQ(client.send("GET", "/echo").status, 200);
}

TEST(ClientStream, GoodByeOfAServerThatStopsIsReceived) {
    TestServer server;
    server.source->push({.data = "x"});
    Client client({.url = server->url()});
    std::string last;
    std::thread stopping;
    client.stream(
        "/stream",
        [&](const ServerSentEvent& event) {
            last = event.event + event.data;
            if (!stopping.joinable()) stopping = std::thread([&] { server->stop(10s, "enough"); });
            return true;
        },
        [] { return false; });
    stopping.join();
    EXPECT_EQ(last, "bye{\"reason\":\"enough\"}");
}

TEST(ClientStream, RefusalIsReturned) {
    TestServer server;
    Client client({.url = server->url()});
    const auto answer = client.stream(
        "/nothing", [](const ServerSentEvent&) { return true; }, [] { return false; });
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answer.body, "{}");
}

TEST(EventReader, ItDoesNotMatterHowTheBytesAreCut) {
    const std::string bytes =
        ": beat\n\nevent: a\nid: 1\ndata: x\n\ndata:y\r\ndata: z\r\n\r\nevent: none\n\ndata\n\n";
    for (std::size_t step = 1; step <= bytes.size(); ++step) {
        EventReader reader;
        std::vector<std::string> read;
        for (std::size_t at = 0; at < bytes.size(); at += step)
            for (const ServerSentEvent& event : reader.feed(bytes.substr(at, step)))
                read.push_back(concat(event.event, "/", event.id, "/", event.data));
        ASSERT_THAT(read, ElementsAre("a/1/x", "//y\nz", "//")) << step;
    }
}

// ---- TLS ---------------------------------------------------------------------------------------------------------

TEST(Tls, RequestsAndStreamsWorkAsWithout) {
    const Certificate certificate("localhost");
    TestServer server({}, certificate.files());
    EXPECT_TRUE(server->url().starts_with("https://127.0.0.1:"));
    Client client({.url = server->url(), .ca_file = certificate.files().certificate});
    const auto answer = client.send("POST", "/echo", std::string(300'000, 'x'));
    ASSERT_EQ(answer.status, 200);
    EXPECT_EQ(json::parse(answer.body)["secure"], true);
    EXPECT_EQ(client.send("GET", "/large?bytes=3000000").body.size(), 3'000'000U);
    const auto& headers = answer.headers;
    EXPECT_TRUE(std::ranges::any_of(headers, [](const auto& h) { return h.first == "strict-transport-security"; }));
    server.source->push({.data = "over tls"});
    std::string received;
    client.stream(
        "/stream",
        [&](const ServerSentEvent& event) {
            received += event.data;
            server.source->end();
            return true;
        },
        [] { return false; });
    EXPECT_EQ(received, "over tls");
    EXPECT_TRUE(eventually([&] { return server->counts().streams == 0; }));
}

TEST(Tls, CertificateOfAnotherIssuerOrNameIsNotTrusted) {
    const Certificate certificate("localhost");
    const Certificate other("localhost");
    const Certificate elsewhere("elsewhere.example", false);
    TestServer server({}, certificate.files());
    Client distrusting({.url = server->url(), .ca_file = other.files().certificate});
    EXPECT_THAT([&] { (void)distrusting.send("GET", "/echo"); }, ThrowsMessage<Unusable>(HasSubstr("not trusted")));
    Client by_system({.url = server->url()});
    EXPECT_THROW((void)by_system.send("GET", "/echo"), Unusable);
    TestServer misnamed({}, elsewhere.files());
    Client careful({.url = misnamed->url(), .ca_file = elsewhere.files().certificate});
    EXPECT_THROW((void)careful.send("GET", "/echo"), Unusable);
}

TEST(Tls, ReloadedCertificateIsShownToNewConnectionsAndOldOnesGoOn) {
    const Certificate first("localhost");
    const Certificate second("localhost");
    const Certificate original("localhost");
    original.replace_by(first);
    TestServer server({}, original.files());
    Client old_client({.url = server->url(), .ca_file = first.files().certificate});
    EXPECT_EQ(old_client.send("GET", "/echo").status, 200);
    original.replace_by(second);
    EXPECT_TRUE(server->reload_tls());
    EXPECT_EQ(old_client.send("GET", "/echo").status, 200);
    Client new_client({.url = server->url(), .ca_file = second.files().certificate});
    EXPECT_EQ(new_client.send("GET", "/echo").status, 200);
}

TEST(Tls, SpoiltFilesAreRefusedAndTheOldOnesStay) {
    const Certificate certificate("localhost");
    const Certificate trusted("localhost");
    certificate.replace_by(trusted);
    TestServer server({}, certificate.files());
    certificate.spoil();
    EXPECT_FALSE(server->reload_tls());
    EXPECT_THAT(server.log.text(), HasSubstr("the certificate stays as it was"));
    Client client({.url = server->url(), .ca_file = trusted.files().certificate});
    EXPECT_EQ(client.send("GET", "/echo").status, 200);
    EXPECT_THAT([&] { TestServer({}, certificate.files()); },
                ThrowsMessage<BadInput>(HasSubstr("cannot use the certificate")));
    EXPECT_THAT(
        [&] {
            TestServer({}, TlsFiles{trusted.files().certificate, "/nowhere"});
        },
        ThrowsMessage<BadInput>(HasSubstr("cannot use the key /nowhere")));
    const Certificate stranger("localhost");
    EXPECT_THROW(TestServer({}, TlsFiles{trusted.files().certificate, stranger.files().key}), BadInput);
}

TEST(Tls, WhoDoesNotSpeakItLeavesNothingBehind) {
    const Certificate certificate("localhost");
    TestServer server({.header_timeout = 1s}, certificate.files());
    RawClient plain(server.port());
    plain.send(get("/echo"));
    EXPECT_EQ(plain.answer().status, 0);
    RawClient silent(server.port());
    RawClient half(server.port());
    half.send("\x16\x03\x01");
    EXPECT_EQ(silent.rest(), "");
    half.rest();
    EXPECT_TRUE(eventually([&] { return server->counts().connections == 0; }));
    Client to_plain({.url = concat("https://127.0.0.1:", TestServer().port()), .connect_timeout = 1s});
    EXPECT_THROW((void)to_plain.send("GET", "/"), StoreError);
}

TEST(Tls, OldVersionsAreNotSpoken) {
    const Certificate certificate("localhost");
    TestServer server({}, certificate.files());
    const auto handshake = [&](const std::string& version) {
        const std::string command = concat("openssl s_client -connect 127.0.0.1:", server.port(), " ", version,
                                           " -cipher ALL:@SECLEVEL=0 </dev/null >/dev/null 2>&1");
        return std::system(command.c_str());
    };
    EXPECT_NE(handshake("-tls1_1"), 0);
    EXPECT_EQ(handshake("-tls1_2"), 0);
    EXPECT_EQ(handshake("-tls1_3"), 0);
}

}  // namespace
}  // namespace holdfast::http::testing

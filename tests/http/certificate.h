#pragma once

#include <string>

#include "server/http/server.h"

namespace holdfast::http::testing {

/// A certificate that has signed itself, and its key, as files in a directory that goes away with it.
class Certificate {
public:
    /// For this name, and for 127.0.0.1 where `for_loopback`.
    explicit Certificate(const std::string& name, bool for_loopback = true);
    ~Certificate();
    Certificate(const Certificate&) = delete;
    Certificate& operator=(const Certificate&) = delete;

    [[nodiscard]] TlsFiles files() const { return {folder_ + "/certificate.pem", folder_ + "/key.pem"}; }
    /// Puts the files of another into the place of its own.
    void replace_by(const Certificate& other) const;
    /// Writes nonsense into the certificate.
    void spoil() const;

private:
    std::string folder_;
};

}  // namespace holdfast::http::testing

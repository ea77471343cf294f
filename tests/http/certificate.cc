#include "tests/http/certificate.h"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/text.h"

namespace holdfast::http::testing {

namespace fs = std::filesystem;

Certificate::Certificate(const std::string& name, bool for_loopback) {
    std::string pattern = (fs::temp_directory_path() / "holdfast-certificate-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const std::string names = concat("subjectAltName=DNS:", name, for_loopback ? ",IP:127.0.0.1" : "");
    const std::string command =
        concat("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=", name,
               " -addext ", names, " -keyout ", files().key, " -out ", files().certificate, " 2>/dev/null");
    if (std::system(command.c_str()) != 0) throw std::runtime_error("openssl made no certificate");
}

Certificate::~Certificate() {
    fs::remove_all(folder_);
}

void Certificate::replace_by(const Certificate& other) const {
    fs::copy_file(other.files().certificate, files().certificate, fs::copy_options::overwrite_existing);
    fs::copy_file(other.files().key, files().key, fs::copy_options::overwrite_existing);
}

void Certificate::spoil() const {
    std::ofstream(files().certificate) << "nonsense";
}

}  // namespace holdfast::http::testing

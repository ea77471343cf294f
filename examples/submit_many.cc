// Submits many tasks in one call; an invalid item does not affect the others.
//   submit_many STORE_URL
#include <holdfast/client.h>

#include <iostream>

inline const holdfast::Task<int, holdfast::Nothing> index_page{"index_page"};

namespace {

int submit_pages(holdfast::Client& client) {
    std::vector<holdfast::TaskRequest> requests;
    for (int page = 1; page <= 1000; ++page) requests.push_back(holdfast::request(index_page, page));
    requests[500].options.priority = 1000;  // out of range

    int accepted = 0;
    for (const auto& outcome : client.submit_many(requests)) {
        if (outcome.status == holdfast::SubmitStatus::Accepted)
            ++accepted;
        else
            std::cout << "not accepted: " << outcome.complaint << '\n';
    }
    return accepted;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: submit_many STORE_URL\n";
        return 2;
    }
    try {
        holdfast::Client client(argv[1]);
        const int accepted = submit_pages(client);
        std::cout << accepted << " accepted\n";
        return accepted == 999 ? 0 : 1;
    } catch (const holdfast::Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

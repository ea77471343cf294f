#include "worker/work_watch.h"

namespace holdfast::worker {

WorkWatch::WorkWatch(store::Store& store, std::function<void()> when_news)
    : watch_(store.watch(store::Topic::Work)), when_news_(std::move(when_news)), thread_([this] { run(); }) {}

WorkWatch::~WorkWatch() {
    stopping_ = true;
    watch_->wake();
    thread_.join();
}

void WorkWatch::run() {
    while (!stopping_)
        if (watch_->wait(std::chrono::seconds(10))) when_news_();
}

}  // namespace holdfast::worker

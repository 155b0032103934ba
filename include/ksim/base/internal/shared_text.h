// SharedText: an immutable string that its copies share. What goes through a cluster is mostly
// names that many hold (who asks, for what, with which selector) and fields that are mostly empty:
// a SharedText is one pointer, null if empty, so that requests and answers are small, and copied
// without copying letters. The copies are counted without locks: one simulation is one thread.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace ksim {

class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string_view text) : rep_(text.empty() ? nullptr : New(text)) {}  // NOLINT
  SharedText(const std::string& text) : SharedText(std::string_view(text)) {}      // NOLINT
  SharedText(const char* text) : SharedText(std::string_view(text)) {}             // NOLINT
  SharedText(const SharedText& other) noexcept : rep_(other.rep_) {
    if (rep_ != nullptr) ++rep_->holders;
  }
  SharedText(SharedText&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  SharedText& operator=(SharedText other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~SharedText() {
    if (rep_ != nullptr) Drop(rep_);
  }

  bool empty() const { return rep_ == nullptr; }
  std::size_t size() const { return rep_ == nullptr ? 0 : rep_->size; }
  std::string_view view() const {
    return rep_ == nullptr ? std::string_view("") : std::string_view(rep_->letters(), rep_->size);
  }
  operator std::string_view() const { return view(); }  // NOLINT
  std::string str() const { return std::string(view()); }
  bool starts_with(std::string_view s) const { return view().starts_with(s); }
  bool ends_with(std::string_view s) const { return view().ends_with(s); }
  std::size_t find(std::string_view s) const { return view().find(s); }
  void clear() { *this = SharedText(); }

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.rep_ == b.rep_ || a.view() == b.view();
  }
  friend bool operator==(const SharedText& a, std::string_view b) { return a.view() == b; }
  friend bool operator==(const SharedText& a, const std::string& b) { return a.view() == b; }
  friend bool operator==(const SharedText& a, const char* b) { return a.view() == b; }
  friend std::strong_ordering operator<=>(const SharedText& a, const SharedText& b) {
    return a.view() <=> b.view();
  }
  friend std::strong_ordering operator<=>(const SharedText& a, std::string_view b) {
    return a.view() <=> b;
  }
  friend std::strong_ordering operator<=>(const SharedText& a, const std::string& b) {
    return a.view() <=> std::string_view(b);
  }
  friend std::string operator+(std::string a, const SharedText& b) {
    return std::move(a += b.view());
  }
  friend std::string operator+(const SharedText& a, std::string_view b) { return a.str() += b; }
  friend std::ostream& operator<<(std::ostream& out, const SharedText& t) {
    return out << t.view();
  }
  // How fmt writes it, from version 10 on; before, it takes whatever converts to a string_view. No
  // fmt::formatter in a header of its own: a source that left it out would hand fmt another kind of
  // argument than those which have it, for one and the same function.
  friend std::string_view format_as(const SharedText& t) { return t.view(); }

 private:
  struct Rep {
    std::uint32_t holders;
    std::uint32_t size;  // at least 1
    char* letters() { return reinterpret_cast<char*>(this + 1); }
  };

  static Rep* New(std::string_view text);
  // Not inline: most texts are empty, and there are many places where some end.
  static void Drop(Rep* rep) noexcept;

  Rep* rep_ = nullptr;  // null = ""
};

}  // namespace ksim

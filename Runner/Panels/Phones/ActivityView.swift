import CLI
import Console
import Documents
import FoundationEssentials
import FunctionKit
import Locales

/// A Live Activity on a lock screen, with a bar for the votes of each time.
struct ActivityView {
  let activity: PhoneActivity
  let phone: Phone

  private var heading: String { activity.title ?? "Private event" }
  private var language: LanguageTag? { phone.locale.flatMap(LanguageTag.init) }

  var html: HTML {
    tag(
      .div, .class("note activity \(activity.phase.rawValue)"), .role("group"),
      .aria("label", "Live Activity: \(heading.clipped(to: 100))"),
      language?.isRightToLeft == true ? .dir("rtl") : nil
    ) {
      tag(.p, .class("from")) {
        tag(.span, .class("app")) { name(phone.app ?? "app") }
        tag(.span, .class("mark")) { mark }
      }
      quotation(.h4, heading, longest: 200)
      if let subtitle = activity.subtitle { quotation(.p, subtitle, class: "subtitle", longest: 200) }
      for option in activity.options { row(option) }
      if activity.others > 0 { tag(.p, .dir("auto")) { "and \(activity.others) more times" } }
      if let state = activity.state { tag(.p) { tag(.code) { name(state, longest: 300) } } }
      tag(.p, .class("faint"), .dir("ltr")) { footing }
    }
  }

  private var mark: String {
    switch activity.phase {
    case .active: "Live"
    case .stale: "Out of date"
    case .ended: "Ended"
    }
  }

  private func row(_ option: PhoneActivity.Option) -> HTML {
    tag(.div, .class(option.isLeading ? "votes leads" : "votes")) {
      tag(.span, phone.locale.map { .lang($0) }) { label(option.start) }
      tag(.svg, .viewBox(100, 8), .aria("hidden", "true")) {
        tag(.rect, .class("all"), .width(100), .height(8))
        tag(.rect, .class("maybe"), .width(share(option.yes + option.maybe)), .height(8))
        tag(.rect, .class("yes"), .width(share(option.yes)), .height(8))
      }
      tag(.span, .class("number")) {
        "\(option.yes)"
        unseen(" can come\(option.maybe > 0 ? ", \(option.maybe) maybe" : "")\(option.isLeading ? ", leads" : "")")
      }
    }
  }

  /// The part of all who are asked, in hundredths.
  private func share(_ votes: Int) -> Double {
    let most = max(activity.members ?? 0, activity.options.map { $0.yes + $0.maybe }.max() ?? 0, 1)
    return (Double(min(max(votes, 0), most)) * 100 / Double(most)).rounded()
  }

  /// Day and time in the phone's language, in UTC.
  private func label(_ date: Date) -> String {
    let formats = language.flatMap(LocaleFormats.of)
    let seconds = Int64(date.timeIntervalSince1970.rounded(.down))
    return formats?.text(.moment(seconds, fields: "EEEMMMdjmm")) ?? TimeText.onPage(date)
  }

  @HTMLBuilder private var footing: HTML {
    if let votes = activity.votes {
      "\(votes)\(activity.members.map { " of \($0)" } ?? "") voted"
    }
    if let status = activity.status {
      if activity.votes != nil { " · " }
      if let deadline = activity.deadline, status == "open" {
        "closes "
        time(deadline)
      } else {
        name(status.split(separator: "_").joined(separator: " "))
      }
    }
    if activity.channel != nil { " · by a channel" }
    if let dismissedAt = activity.dismissedAt {
      " · goes at "
      time(dismissedAt)
    }
  }
}

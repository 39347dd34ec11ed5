import Console
import Documents

/// A phone's lock screen, as its system shows it.
struct PhoneView {
  let phone: Phone
  let forms: PhoneForms

  private var id: String { "phone-\(phone.id?.description ?? phone.token)" }
  /// A push is on one phone only.
  private var taps: String { "taps-\(phone.notes.first?.push ?? 0)" }
  private var owner: String { title(of: phone.person) }
  private var isAndroid: Bool { phone.platform.lowercased() == "android" || phone.provider == .fcm }
  private var device: String { Self.words(phone.platform, phone.token, by: " ") }

  /// The database knows neither app nor system of some tokens.
  private static func words(_ words: String?..., by separator: String) -> String {
    words.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: separator)
  }

  var html: HTML {
    tag(.article, .class(isAndroid ? "phone android" : "phone ios"), .id(id), .aria("label", "\(owner), \(device)")) {
      header
      // It scrolls, so the keyboard has to come to it.
      tag(
        .div, .class("screen"), .id("screen-\(id)"), .tabindex(0), .role("group"), .aria("label", "Screen of \(device)")
      ) {
        for activity in phone.activities { ActivityView(activity: activity, phone: phone).html }
        if phone.notes.isEmpty, phone.activities.isEmpty { tag(.p, .class("nothing")) { "Nothing is on the screen." } }
        for note in phone.notes {
          NoteView(
            note: note, phone: phone, isAndroid: isAndroid, anchor: id, form: taps, owner: owner, forms: forms
          ).html
        }
        before
      }
      if forms.mayAct, phone.notes.contains(where: { $0.notification != nil }) {
        forms.shared("tap", phone.device, at: id, id: taps)
      }
    }
  }

  /// Where there are more: a page of one person lists more of each phone.
  @HTMLBuilder private var before: HTML {
    if phone.others > 0 {
      tag(.p, .class("nothing")) {
        let words = "and \(phone.others) before"
        if forms.user == nil, let person = phone.person {
          tag(.a, .href(Address(forms.place.path).with("user", person.id.description))) {
            words
            unseen(" on the phones of \(owner)")
          }
        } else {
          words
        }
      }
    }
  }

  private var header: HTML {
    let kind = Self.words(phone.app, phone.platform, by: " · ")
    return tag(.header) {
      tag(.h3) {
        name(kind.isEmpty ? "an unknown phone" : kind)
        if let badge = phone.badgeWords {
          " "
          tag(.span, .class(badge == "0" ? "count none" : "count")) { badge }
          unseen(" on the icon")
        }
      }
      tag(.p) { tag(.small) { tag(.code) { "\(phone.token)…" } } }
      if let later = phone.later {
        tag(.p, .class("faint")) {
          "\(later.words) "
          time(later.at)
        }
      }
      if let words = phone.iconWords { tag(.p) { badge(words, "notice") } }
      if !phone.isActive { tag(.p) { badge("not active: it is told nothing", "notice") } }
      if phone.duplicates > 0 { tag(.p) { badge("\(phone.duplicates) shown twice", "bad") } }
    }
  }
}

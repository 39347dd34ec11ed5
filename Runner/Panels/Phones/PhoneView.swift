import Console
import Documents

/// A phone's lock screen, as its system shows it.
struct PhoneView {
  let phone: Phone
  let forms: PhoneForms

  private var id: String { "phone-\(phone.id?.description ?? phone.token)" }
  private var owner: String { title(of: phone.person) }
  private var isAndroid: Bool { phone.platform.lowercased() == "android" || phone.provider == .fcm }
  private var device: String { "\(phone.platform) \(phone.token)" }

  var html: HTML {
    tag(.article, .class(isAndroid ? "phone android" : "phone ios"), .id(id), .aria("label", "\(owner), \(device)")) {
      header
      // It scrolls, so the keyboard has to come to it.
      tag(
        .div, .class("screen"), .id("screen-\(id)"), .tabindex(0), .role("group"), .aria("label", "Screen of \(device)")
      ) {
        if phone.notes.isEmpty { tag(.p, .class("nothing")) { "Nothing is on the screen." } }
        for note in phone.notes {
          NoteView(note: note, phone: phone, isAndroid: isAndroid, anchor: id, owner: owner, forms: forms).html
        }
        if phone.others > 0 { tag(.p, .class("nothing")) { "and \(phone.others) before" } }
      }
    }
  }

  private var header: HTML {
    tag(.header) {
      tag(.h3) {
        name([phone.app, phone.platform].compactMap(\.self).joined(separator: " · "))
        if let badge = phone.badge {
          " "
          tag(.span, .class(badge == 0 ? "count none" : "count")) { "\(badge)" }
          unseen("on the icon")
        }
      }
      tag(.p) { tag(.small) { tag(.code) { "\(phone.token)…" } } }
      if let waiting = phone.waiting {
        tag(.p, .class("faint")) {
          "\(waiting) more "
          if let next = phone.nextAt { HTML("at ") + time(next) } else { "later" }
        }
      } else if let counted = phone.counted, let shown = phone.badge, counted != shown, phone.isActive {
        tag(.p) { badge("\(counted) unread, the icon says \(shown)", "notice") }
      }
      if !phone.isActive { tag(.p) { badge("not active: it is told nothing", "notice") } }
      if phone.duplicates > 0 { tag(.p) { badge("\(phone.duplicates) shown twice", "bad") } }
    }
  }
}

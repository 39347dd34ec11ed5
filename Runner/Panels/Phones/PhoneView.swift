import Console
import FunctionKit

/// A phone's lock screen, as its system shows it.
struct PhoneView {
  let phone: RawJSON
  let number: Int
  let forms: PhoneForms
  let links: PanelLinks

  private var id: String { "phone-\(phone.string("id") ?? phone.string("token") ?? "\(number)")" }
  private var owner: String { title(of: phone["person"]) }
  private var isAndroid: Bool {
    (phone.string("platform") ?? "").lowercased() == "android" || phone.string("provider") == "fcm"
  }
  private var device: String { "\(phone.string("platform") ?? "phone") \(phone.string("token") ?? "")" }

  var html: HTML {
    tag(.article, .class(isAndroid ? "phone android" : "phone ios"), .id(id), .aria("label", "\(owner), \(device)")) {
      header
      tag(.div, .class("screen")) {
        if phone["notes"]?.list.isEmpty != false { tag(.p, .class("nothing")) { "Nothing is on the screen." } }
        for note in phone["notes"]?.list ?? [] {
          NoteView(note: note, phone: phone, isAndroid: isAndroid, anchor: id, owner: owner, forms: forms).html
        }
        if let others = phone["others"]?.intValue, others > 0 { tag(.p, .class("nothing")) { "and \(others) before" } }
      }
    }
  }

  private var header: HTML {
    tag(.header) {
      tag(.h2) {
        link(owner, to: phone["person"]?.string("id").flatMap(links.person))
        if let badge = phone["badge"]?.intValue {
          " "
          tag(.span, .class(badge == 0 ? "count none" : "count")) { "\(badge)" }
          unseen("on the icon")
        }
      }
      tag(.p) {
        tag(.small) {
          name([phone.string("app"), phone.string("platform")].compactMap(\.self).joined(separator: " · "))
          " "
          tag(.code) { "\(phone.string("token") ?? "")…" }
        }
      }
      if let counted = phone["counted"]?.intValue, let shown = phone["badge"]?.intValue, counted != shown {
        tag(.p) { badge("\(counted) unread, the icon says \(shown)", "notice") }
      }
      if phone["isActive"]?.isTrue != true { tag(.p) { badge("not active: it is told nothing", "notice") } }
      if let twice = phone["duplicates"]?.intValue, twice > 0 { tag(.p) { badge("\(twice) shown twice", "bad") } }
    }
  }
}

import CLI
import Console
import Documents
import FoundationEssentials
import FunctionKit
import Locales

/// A notification on a lock screen, with buttons that do what they do on the phone.
struct NoteView {
  let note: PhoneNote
  let phone: Phone
  let isAndroid: Bool
  /// Where the page is to come back to.
  let anchor: String
  /// The form of the phone's buttons.
  let form: String
  let owner: String
  let forms: PhoneForms

  private var number: String { "\(note.push)" }
  private var heading: String { note.title ?? note.kind.words }
  /// The heading within a sentence.
  private var quoted: String { heading.clipped(to: 60).isolated }
  private var language: LanguageTag? { phone.locale.flatMap(LanguageTag.init) }

  var html: HTML {
    tag(
      .div, .class("note \(note.level.rawValue)"), .role("group"), .aria("label", heading.clipped(to: 100)),
      language?.isRightToLeft == true ? .dir("rtl") : nil
    ) {
      tag(.p, .class("from")) {
        tag(.span, .class("app")) { name(phone.app ?? "app") }
        switch note.level {
        case .timeSensitive: tag(.span, .class("mark")) { "Time sensitive" }
        case .critical: tag(.span, .class("mark")) { "Critical" }
        case .passive: tag(.span, .class("mark")) { "silent" }
        case .active: HTML()
        }
        clock(note.at)
      }
      quotation(.h4, heading, longest: 200)
      if let subtitle = note.subtitle {
        quotation(.p, subtitle, class: "subtitle", longest: 200)
      }
      if let body = note.body { quotation(.p, body, longest: 600) }
      if let image = note.image { picture(image) }
      buttons
      if forms.hasDetails { details }
    }
  }

  /// The time as a lock screen shows it, in the phone's language: `now` and `2m ago` for a day, then the day and the time
  /// of the day, in UTC; the exact time is its title.
  private func clock(_ date: Date) -> HTML {
    let seconds = Int64(date.timeIntervalSince1970.rounded(.down))
    let age = Int(max(0, now.timeIntervalSince(date).rounded(.down)))
    let formats = language.flatMap(LocaleFormats.of)
    let said =
      switch age {
      case ..<60: formats?.text(.since(0, .second))
      case ..<3_600: formats?.text(.since(age / 60, .minute))
      case ..<86_400: formats?.text(.since(age / 3_600, .hour))
      case ..<604_800: formats?.text(.moment(seconds, fields: "EEEjmm"))
      default: formats?.text(.moment(seconds, fields: "MMMdjmm"))
      }
    return tag(
      .time, .datetime(RFC3339.string(date)), .title(TimeText.of(date)), .data("since", ""),
      said == nil ? nil : phone.locale.map { .lang($0) }
    ) { said ?? (age < 86_400 ? TimeText.ago(date, now: now) : TimeText.onPage(date, now: now)) }
  }

  private var now: Date { forms.now }

  /// Nothing that a push names is fetched.
  private func picture(_ address: String) -> HTML {
    tag(.p, .class("picture")) {
      tag(.svg, .viewBox(24, 24), .role("img"), .aria("label", "A picture, which is not loaded")) {
        tag(.rect, .x(2), .y(4), .width(20), .height(16))
        tag(.circle, .cx(8), .cy(10), .r(2))
        tag(.path, .d("M3 19l6-6 4 4 3-3 5 5"))
      }
      tag(.code) { name(address, longest: 120) }
    }
  }

  @HTMLBuilder private var buttons: HTML {
    if let notification = note.notification {
      if forms.mayAct {
        tag(.div, .class("taps")) {
          tag(
            .button, .form(form), .name("notification"), .value(notification.description),
            .aria("label", "Open “\(quoted)” on the phone of \(owner.isolated)"), .id("tap-\(number)")
          ) { "Open" }
          for button in note.buttons { press(button, notification) }
        }
      }
      if !note.done.isEmpty {
        tag(.p, .class("done")) {
          badge(note.done.map { $0.lowercased().words }.joined(separator: ", "), "good")
        }
      }
    }
  }

  /// A button of the notification; one with a text has a form of its own.
  private func press(_ button: PhoneNote.Button, _ notification: RowID) -> HTML {
    let words = "\(button.title.isolated): “\(quoted)” on the phone of \(owner.isolated)"
    let (id, value) = ("tap-\(number)-\(button.action)", "\(notification) \(button.action)")
    guard let placeholder = button.placeholder else {
      return tag(
        .button, .form(form), .name("notification"), .value(value), button.isDestructive ? .class("danger") : nil,
        .aria("label", words), .id(id), phone.locale.map { .lang($0) }
      ) { button.title }
    }
    return forms.act(
      button.title, "tap", [(name: "notification", value: value)] + phone.device, at: anchor, describes: words,
      isDangerous: button.isDestructive, button: id
    ) {
      tag(
        .input, .type("text"), .name("text"), .placeholder(placeholder), .required,
        .aria("label", "Text of the reply to “\(quoted)”"))
    }
  }

  private var details: HTML {
    tag(.details, .id("note-\(phone.token)-\(number)")) {
      tag(.summary) { "push \(number)" }
      facts(
        [
          ("kind", name(note.kind.words)),
          ("opens", note.link.map { link in tag(.code) { name(link, longest: 300) } }),
          ("group", note.thread.map { name($0) }), ("replaced", replaced), ("sound", note.sound.map { name($0) }),
          (isAndroid ? "message" : "collapse id", note.collapseID.map { id in tag(.code) { name(id) } }),
        ].compactMap { fact in fact.1.map { (fact.0, $0) } })
      if !isAndroid {
        tag(.a, .href(Address(forms.place.path, "push", "\(number).apns")), .download("push-\(number).apns")) {
          ".apns file"
          unseen(" of push \(number)")
        }
      }
    }
  }

  private var replaced: HTML? {
    guard note.replaced > 0 else { return nil }
    return HTML(note.replaced == 1 ? "one push before it" : "\(note.replaced) pushes before it")
  }
}

extension Phone {
  /// Its row, as a field of a form.
  var device: [(name: String, value: String)] { id.map { [(name: "device", value: $0.description)] } ?? [] }
}

import Console
import Documents
import FoundationEssentials
import FunctionKit
import Manifest

/// The emulator's phones: what they show, buttons that act, and how the next pushes fail.
struct PhonesPages: PageSource {
  let panel: PanelEntry
  let links: PanelLinks

  var place: NavigationEntry { panel.place(key: "h") }

  /// The most phones whose notes have details.
  private static let mostDetailed = 8

  private var reading: RunnerCommand { .ofBundle([panel.command], changes: false) }

  func answer(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    switch (request.path.dropFirst().first, request.form == nil) {
    case (nil, true): return .page(try await page(request, desk))
    case ("push", true) where request.path.count == 3: return try await file(request.path[2], desk)
    case (let word?, false) where request.path.count == 2: return try await act(word, request, desk)
    default: throw NoSuchPage()
    }
  }

  private func page(_ request: PageRequest, _ desk: Desk) async throws -> Page {
    let document: PhonesDocument
    do {
      // All who watch the page of all phones read the same.
      document =
        if let user = request["user"] {
          try await desk.run(try reading.with("--user", user), as: PhonesDocument.self)
        } else {
          try await desk.newest(reading, as: PhonesDocument.self)
        }
    } catch let error as FunctionError where [.misconfigured, .noInput].contains(error.code) {
      return Page(panel.title, in: place.path) {
        if error.code == .noInput { search(request["user"]) }
        emptiness(error.message)
      }
    }
    let phones = document.phones
    let forms = PhoneForms(
      place: place, token: request.token, user: request["user"], mayAct: desk.mayAct,
      hasDetails: request["user"] != nil && phones.count <= Self.mostDetailed,
      now: desk.now)
    var page = Page(panel.title, in: place.path, live: [.events]) {
      search(request["user"])
      tag(.div, .region("phones"), .class("owners")) {
        for (owner, phones) in Self.owners(of: phones) {
          tag(.section) {
            tag(.h2) { link(title(of: owner), to: (owner?.id).flatMap(links.person)) }
            tag(.div, .class("phones")) { for phone in phones { PhoneView(phone: phone, forms: forms).html } }
          }
        }
        if phones.isEmpty {
          emptiness(
            request["user"] == nil
              ? "No phone has got a push yet. As soon as push-delivery has sent one, its phone appears here."
              : "They have no device that is registered."
          ) {
            for source in desk.sources.filter({ $0.place.path == "try" }) {
              tag(.p) { tag(.a, .href(source.place.address)) { source.place.title } }
            }
          }
        }
      }
      if document.hasMore {
        tag(.p) {
          request["user"] == nil
            ? "More phones have got pushes: those with the newest are shown; a person's name finds theirs."
            : "There are more phones: a longer search finds fewer."
        }
      }
      FaultDesk(faults: document.faults, phones: phones, forms: forms).html
    }
    let shown = phones.count == 1 ? "this phone shows" : "these \(phones.count) phones show"
    page.data = PageData(document.asShown, extent: "the notes that \(shown)") {
      .notes(of: phones)
    }
    return page
  }

  /// The phones by their owners, each at the place of their first one.
  private static func owners(of phones: [Phone]) -> [(owner: PersonSummary?, phones: [Phone])] {
    var owners: [(owner: PersonSummary?, phones: [Phone])] = []
    for phone in phones {
      if let index = owners.firstIndex(where: { $0.owner?.id == phone.person?.id }) {
        owners[index].phones.append(phone)
      } else {
        owners.append((phone.person, [phone]))
      }
    }
    return owners
  }

  private func search(_ user: String?) -> HTML {
    tag(.form, .class("search"), .get, .action(place.address), .role("search")) {
      tag(.label) {
        "Whose phones: name, e-mail address or id"
        tag(.input, .type("search"), .name("user"), .value(user ?? ""), .autocomplete("off"), .noSpelling)
      }
      tag(.button) { "Show" }
      if user != nil { tag(.a, .class("button"), .href(place.address)) { "All phones" } }
    }
  }

  private func file(_ name: String, _ desk: Desk) async throws -> PageAnswer {
    guard name.hasSuffix(".apns"), let number = Int(name.dropLast(5)), number > 0 else { throw NoSuchPage() }
    let file = try await desk.run(
      try RunnerCommand.ofBundle([panel.command, "file"], changes: false).with("--push", "\(number)"))
    return .file(name: "push-\(number).apns", type: "application/json", bytes: Array(file.pretty.utf8))
  }

  /// Does what a form says, and leads back.
  private func act(_ word: String, _ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    let command = RunnerCommand.ofBundle([panel.command, word], changes: true)
    let done: RunnerCommand
    switch word {
    case "tap":
      // A button says both: `ID ACTION`.
      let words = (request.entered("notification") ?? "").split(separator: " ", maxSplits: 1).map(String.init)
      done = try command.with("--notification", words.first).with("--device", request.entered("device"))
        .with("--action", words.count > 1 ? words[1] : nil).with("--text", request.entered("text"))
    case "fail":
      done = try command.with("--answer", request.entered("answer")).with("--device", request.entered("device"))
        .with("--times", request.entered("times"))
    case "mend": done = try command.with("--fault", request.entered("fault"))
    default: throw NoSuchPage()
    }
    // Two presses do it once.
    let form = request.entered("sure").map { sure in
      "\(sure)\n\(word)\n" + (request.form ?? []).map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
    }
    _ = try await desk.run(done, once: form)
    return .redirect(
      Address(place.path).with("user", request.entered("of")).at(request.entered("at") ?? "main"))
  }
}

/// The parts that the forms of the page have in common.
struct PhoneForms {
  let place: NavigationEntry
  let token: String
  /// The person to whom the page is narrowed.
  let user: String?
  let mayAct: Bool
  /// Whether notes have details: on a page of many phones they would be half of it.
  var hasDetails = false
  /// The time by the events' clock, by which the emulator goes, too.
  var now = Date.now

  /// The mark that tells a second press from a later one: it lasts for a minute, until the page is read again.
  private var minute: String { "\(Int(Date.now.timeIntervalSince1970 / 60))" }

  /// A form without a button, for buttons elsewhere that name it.
  func shared(_ act: String, _ values: [(name: String, value: String)], at anchor: String, id: String) -> HTML {
    tag(.form, .id(id), .post, .action(Address(place.path, act))) {
      for (name, value) in [(name: "token", value: token)] + all(values, at: anchor, sure: minute) {
        tag(.input, .type("hidden"), .name(name), .value(value))
      }
    }
  }

  private func all(
    _ values: [(name: String, value: String)], at anchor: String, sure: String
  ) -> [(name: String, value: String)] {
    values + (user.map { [(name: "of", value: $0)] } ?? []) + [(name: "at", value: anchor), ("sure", sure)]
  }

  /// - Parameter sure: another one, of a form that is not read again.
  func act(
    _ label: String, _ act: String, _ values: [(name: String, value: String)], at id: String, describes: String? = nil,
    isDangerous: Bool = false, button: String? = nil, sure: String? = nil,
    @HTMLBuilder fields: () -> HTML = { HTML() }
  ) -> HTML {
    ActForm(
      label, at: Address(place.path, act), all(values, at: id, sure: sure ?? minute),
      isDangerous: isDangerous, description: describes, id: button
    ).html(token: token, fields: fields)
  }
}

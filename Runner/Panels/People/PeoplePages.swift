import Console
import Documents
import FoundationEssentials
import FunctionKit
import Manifest

/// Finds people, and shows of one what they were told, what not, and why.
struct PeoplePages: PageSource {
  let panel: PanelEntry
  let links: PanelLinks

  var place: NavigationEntry { panel.place(key: "p") }

  func answer(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    guard request.form == nil, request.path.count <= 2 else { throw NoSuchPage() }
    let command = RunnerCommand.ofBundle([panel.command], changes: false)
    if request.path.count == 2 {
      let choice = PersonView.Choice(request)
      let asking = try command.with(request.path[1]).with("--since", choice.span)
        .with("--outcome", choice.outcome?.rawValue).with("--before", choice.before)
        .with("--devices-after", choice.devicesAfter).with("--app", choice.app)
      guard let person = try await desk.run(asking, as: PeopleDocument.self).page else { throw NoSuchPage() }
      let view = PersonView(page: person, choice: choice, place: place, links: links)
      var page = view.html
      page.data = view.data
      return .page(page)
    }
    guard let search = request["q"] else {
      return .page(list(try await desk.run(command, as: PeopleDocument.self), search: nil))
    }
    let found = try await desk.run(try command.with(search), as: PeopleDocument.self)
    if let page = found.page { return .redirect(Address(place.path, page.person.id.description)) }
    return .page(list(found, search: search))
  }

  func find(_ text: String, _ desk: Desk) async throws -> HTML? {
    // What begins with a hyphen is nobody's name.
    guard var command = try? RunnerCommand.ofBundle([panel.command], changes: false).with(text) else { return nil }
    command.timeLimit = .seconds(5)
    let document: PeopleDocument
    do {
      document = try await desk.run(command.with(flag: "--list"), as: PeopleDocument.self)
    } catch let error as FunctionError where error.code == .usage {
      // The bundle's command does not know it.
      document = try await desk.run(command, as: PeopleDocument.self)
    }
    guard !document.found.isEmpty else { return nil }
    return part(panel.title) {
      tag(.ul, .class("plain")) {
        for person in document.found.prefix(8) {
          tag(.li) {
            tag(.a, .href(Address(place.path, person.id.description))) { name(title(of: person)) }
            " "
            tag(.small) { name(person.email ?? "") }
          }
        }
        if document.found.count > 8 || document.hasMore {
          tag(.li, .class("faint")) { tag(.a, .href(place.address.with("q", text))) { "more people" } }
        }
      }
    }
  }

  func people(_ ids: [String], _ desk: Desk) async -> [String: HTML] {
    do {
      var command = try RunnerCommand.ofBundle([panel.command], changes: false)
        .with("--ids", ids.joined(separator: ","))
      command.timeLimit = .seconds(2)
      let found = try await desk.run(command, as: PeopleDocument.self).found
      return Dictionary(
        found.map { ($0.id.description, link(title(of: $0), to: links.person($0.id))) }, uniquingKeysWith: { $1 })
    } catch {
      // Ids stay what they are.
      return [:]
    }
  }

  func waiting(until end: Date, _ desk: Desk) async -> HTML? {
    do {
      var command = RunnerCommand.ofBundle([panel.command], changes: false).with(flag: "--waiting")
      command = try command.with("--count", "100")
      command.timeLimit = .seconds(5)
      let document = try await desk.run(command, as: PeopleDocument.self)
      let all = document.waiting ?? []
      let waiting = all.filter { $0.until <= end }
      guard !waiting.isEmpty else { return HTML() }
      return WaitingView(waiting: waiting, place: place).html
        + (document.hasMore && waiting.count == all.count ? tag(.p, .class("faint")) { "There are more." } : HTML())
    } catch let error as FunctionError where error.code == .usage {
      // The bundle's command does not know it.
      return nil
    } catch {
      return tag(.p, .class("callout notice")) {
        name("Who waits cannot be said now: \((error as? FunctionError)?.message ?? "\(error)")", longest: 400)
      }
    }
  }

  private func list(_ document: PeopleDocument, search: String?) -> Page {
    let people = document.found
    var page = Page(panel.title, in: place.path, live: search == nil ? [.events] : []) {
      tag(.form, .class("search"), .get, .action(place.address), .role("search")) {
        tag(.label) {
          "Name, e-mail address or id"
          tag(.input, .type("search"), .name("q"), .value(search ?? ""), .autocomplete("off"), .noSpelling)
        }
        tag(.button, .class("main")) { "Find" }
      }
      tag(.div, .region("people")) {
        if people.isEmpty {
          emptiness(
            search == nil
              ? "Nothing was decided about anybody yet. People appear here as soon as an event concerns them."
              : "Nobody has that in their name or address.")
        } else {
          tag(.p, .class("faint")) {
            search == nil
              ? "About these people something was decided last."
              : people.count == 1 ? "One person." : "\(people.count) people."
          }
          table("People", ["name", "e-mail address", "id"], class: "stack") {
            for person in people {
              let id = person.id.description
              tag(.tr) {
                tag(.th, .scope("row")) {
                  tag(.a, .id("p-\(id)"), .href(Address(place.path, id))) { name(title(of: person)) }
                }
                cell("text") { name(person.email ?? "") }
                cell { tag(.code) { id } }
              }
            }
          }
        }
      }
      if document.hasMore { tag(.p) { "There are more: a longer search finds fewer." } }
    }
    page.data = PageData(document, extent: "these \(people.count)") {
      CSV(people, [("id", { $0.id.description }), ("name", { $0.name }), ("e-mail address", { $0.email })])
    }
    return page
  }
}

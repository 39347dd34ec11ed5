import Console
import Documents

/// The news that people were told when a wait was over, each part as a link to the decision about it.
struct GatheredView {
  let handled: RecentDocument.Handled
  let links: PanelLinks

  var html: HTML {
    guard let parts = handled.parts, !parts.isEmpty else { return HTML() }
    return tag(.p) {
      tag(.small) {
        "What had waited: "
        for (index, part) in parts.enumerated() {
          if index > 0 { part.person == parts[index - 1].person ? " · " : "; " }
          if handled.people?.count ?? 0 > 1, index == 0 || part.person != parts[index - 1].person {
            name("for \(owner(of: part).isolated): ")
          }
          self.link(to: part)
        }
        if let others = handled.otherParts { " and \(others) more" }
      }
    }
  }

  private func link(to part: RecentDocument.Part) -> HTML {
    let words = name(part.kind.words) + HTML(", ") + time(part.at, hasSeconds: true)
    guard let address = links.event(part.event, person: part.person, function: part.function) else { return words }
    return tag(.a, .href(address)) { words }
  }

  private func owner(of part: RecentDocument.Part) -> String {
    title(of: handled.people?.first { $0.person.id == part.person }?.person)
  }
}

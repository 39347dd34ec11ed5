import Console
import Documents
import Manifest

/// The ways from one page of a bundle's own to the others that it has.
struct PanelLinks {
  private let names: [PanelEntry.Kind: String]

  init(_ panels: [PanelEntry]) {
    names = Dictionary(panels.map { ($0.kind, $0.name) }) { first, _ in first }
  }

  func person(_ id: RowID) -> Address? { names[.people].map { Address($0, id.description) } }

  func event(_ id: String, person: RowID, function: String? = nil) -> Address? {
    names[.explain].map { Address($0, id).with("user", person.description).with("function", function) }
  }

  func phones(of person: RowID) -> Address? { names[.phones].map { Address($0).with("user", person.description) } }
}

extension PanelEntry {
  func place(key: Character) -> NavigationEntry { NavigationEntry(name, title, key: key) }
}

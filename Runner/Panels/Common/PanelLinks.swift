import Console
import Manifest

/// The ways from one page of a bundle's own to the others that it has.
struct PanelLinks {
  private let names: [PanelEntry.Kind: String]

  init(_ panels: [PanelEntry]) {
    names = Dictionary(panels.map { ($0.kind, $0.name) }) { first, _ in first }
  }

  func person(_ id: String) -> Address? { names[.people].map { Address($0, id) } }

  func event(_ id: String, person: String? = nil, function: String? = nil) -> Address? {
    names[.explain].map { Address($0, id).with("user", person).with("function", function) }
  }

  func phones(of person: String) -> Address? { names[.phones].map { Address($0).with("user", person) } }
}

extension PanelEntry {
  func place(key: Character) -> Place { Place(name, title, key: key) }
}

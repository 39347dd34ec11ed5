package import FoundationEssentials

/// The content of a page.
package struct Page: Sendable {
  /// The parts that can change while a page is open.
  package enum Live: String, Sendable {
    /// Events, their attempts, and what waits.
    case events
    case schedules
  }

  package var title: String
  /// The entry of the navigation that it belongs to.
  package var place: String
  package var status = 200
  /// The changes after which the page is read again; the elements with ``Attribute/region(_:)`` are replaced then.
  package var live: [Live] = []
  /// The clock by which it says how long ago something was; `nil` if it does not.
  package var now: Date?
  /// The text in the field that finds everything.
  package var search = ""
  /// The same for programs; `nil` if it has nothing for them.
  package var data: PageData?
  package var body: HTML

  package init(_ title: String, in place: String, live: [Live] = [], @HTMLBuilder body: () -> HTML) {
    (self.title, self.place, self.live, self.body) = (title, place, live, body())
  }
}

extension Attribute {
  /// Names a part of the page that is replaced when something has changed; names are unique in a page.
  package static func region(_ name: String) -> Attribute { .id("region-\(name)") }
}

/// An entry of the navigation.
package struct NavigationEntry: Sendable, Equatable {
  /// The first segment of its pages' addresses; empty for the first page.
  package var path: String
  package var title: String
  /// The key that leads there.
  package var key: Character

  package init(_ path: String, _ title: String, key: Character) {
    (self.path, self.title, self.key) = (path, title, key)
  }

  package var address: Address { path.isEmpty ? Address() : Address(path) }
}

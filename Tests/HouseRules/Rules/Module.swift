/// A module, a program or a function, and all that it declares.
struct Module {
  /// A type with its extensions in the same module.
  struct Kind {
    let name: String
    let declaration: Symbol
    /// The file that declares it.
    let source: Source
    var files: Set<String> = []
    var lines = 0
    /// How many variables each value has.
    var state = 0
    /// How many of these no other file changes.
    var hiddenState = 0

    var isClass: Bool { ["class", "actor"].contains(declaration.keyword) }
  }

  let path: String
  let sources: [Source]
  /// The types by their names.
  private(set) var kinds: [String: Kind] = [:]

  /// - Parameter path: the path of its folder.
  init(_ path: String) throws {
    self.path = path
    sources = try House.swiftFiles(path).map(Source.init)
    for source in sources {
      for symbol in source.symbols where symbol.isType && symbol.keyword != "extension" {
        let name = source.name(of: symbol)
        kinds[name] = Kind(name: name, declaration: symbol, source: source)
      }
    }
    for source in sources { count(source) }
  }

  var name: String { String(path.drop { $0 != "/" }.dropFirst()) }
  var lines: Int { sources.map(\.lines).reduce(0, +) }

  /// The share of its names that others may use.
  ///
  /// These are the names of types, functions and variables, those inside of functions among them, each name once. The
  /// stored properties and the cases of a type count with their type.
  var shown: Double {
    var (shown, all) = (Set<Substring>(), Set<Substring>())
    for source in sources {
      all.formUnion(source.locals)
      for symbol in source.symbols where symbol.keyword != "extension" && symbol.keyword != "case" {
        guard symbol.owner == nil || !symbol.isStored else { continue }
        all.formUnion(symbol.names)
        if isShown(symbol, in: source) { shown.formUnion(symbol.names) }
      }
    }
    return all.isEmpty ? 0 : Double(shown.count) / Double(all.count)
  }

  /// Adds a file's lines and variables to its types.
  private mutating func count(_ source: Source) {
    for symbol in source.symbols {
      if symbol.isType {
        let name = source.name(of: symbol)
        kinds[name]?.lines += symbol.count
        kinds[name]?.files.insert(source.path)
      } else if symbol.isState, let owner = symbol.owner {
        let name = source.name(of: source.symbols[owner])
        kinds[name]?.state += 1
        kinds[name]?.hiddenState += symbol.isHidden ? 1 : 0
      }
    }
  }

  private func isShown(_ symbol: Symbol, in source: Source) -> Bool {
    guard let owner = symbol.owner.map({ source.symbols[$0] }) else { return symbol.isOpen }
    if owner.keyword == "protocol" { return isShown(owner, in: source) }
    guard symbol.isOpen else { return false }
    guard owner.keyword == "extension" else { return isShown(owner, in: source) }
    return kinds[source.name(of: owner)].map { isShown($0.declaration, in: $0.source) } ?? true
  }
}

import Foundation

/// The sizes and arrows of the house, as `make house` prints them.
struct HouseFigures {
  /// A figure with what it is to become.
  struct Figure {
    let name: String
    let value: Int
    var goal = ""
  }

  /// The modules and the programs around the runner.
  let modules: [Module]
  let functions: [Module]
  /// The modules of the house that each one imports, by their names.
  let uses: [String: Set<String>]
  /// The circles that lead folders of a module back to themselves, by the module's path.
  let circles: [String: [String]]
  /// How many lines of SQL each folder beside the modules' files has, by its path.
  private let sql: [String: Int]
  /// How many lines of SQL `make schema` has written.
  private let generated: Int

  static let all = Result { try HouseFigures() }

  private init() throws {
    let folders = try ["Shared", "Runner"].flatMap { top in try House.folders(top).map { "\(top)/\($0)" } }
      .filter { $0 != "Shared/C" }
    modules = try folders.map(Module.init)
    functions = try House.folders("Functions").map { try Module("Functions/\($0)") }
    let names = Set(modules.map(\.name))
    uses = try Dictionary(
      uniqueKeysWithValues: (modules + functions).map { module in
        (module.name, try House.imports(module.path).intersection(names))
      })
    let shown = try Dictionary(uniqueKeysWithValues: modules.map { ($0.name, try FolderArrows.shown(by: $0.path)) })
    circles = try modules.reduce(into: [:]) { [uses] circles, module in
      let foreign = try House.linked(Array(uses[module.name] ?? [])).compactMap { shown[$0] }
      circles[module.path] = try FolderArrows(of: module.path, besides: foreign.reduce(into: []) { $0.formUnion($1) })
        .circle
    }
    sql = try Dictionary(
      uniqueKeysWithValues: folders.map { folder in
        let files = House.files(folder).filter { $0.hasSuffix(".sql") }
        return (folder, try files.map { try House.lines("\(folder)/\($0)") }.reduce(0, +))
      })
    generated = (try? House.lines("Shared/Schema/schema.sql")) ?? 0
  }

  /// How many modules, programs and functions use a module.
  func users(of module: Module) -> Int { uses.values.count { $0.contains(module.name) } }

  /// The files of everything that ships.
  var sources: [Source] { (modules + functions).flatMap(\.sources) }

  /// A line for each module: its lines, how much of it others see, how many use it, and what it uses.
  var text: String {
    let width = modules.map(\.path.count).max() ?? 0
    return modules.map { module in
      let name = module.path.padding(toLength: width, withPad: " ", startingAt: 0)
      let figures = String(
        format: "%@ %6d lines %3.0f %% shown %3d users", name, module.lines, module.shown * 100, users(of: module))
      return "\(figures)  → \(uses[module.name, default: []].sorted().joined(separator: ", "))"
    }.joined(separator: "\n")
  }

  var figures: [Figure] {
    let sources = self.sources
    let files = sources.map(\.lines).sorted()
    let aspects = sources.count { $0.path.split(separator: "/").last?.has("+") == true }
    let functions = sources.flatMap { $0.symbols.filter(\.isFunction).map(\.count) }
    let hidden = largestTypes.map(\.kind.hiddenState).reduce(0, +)
    let state = largestTypes.map(\.kind.state).reduce(0, +)

    var figures = [Figure(name: "lines of Swift", value: files.reduce(0, +), goal: "<= 62000")]
    for part in parts {
      let lines = part.modules.map(\.lines).reduce(0, +)
      figures.append(Figure(name: "  \(part.name)", value: lines, goal: "<= 33000"))
    }
    figures += [
      Figure(name: "lines of SQL", value: sql.values.reduce(0, +), goal: "<= 7500"),
      Figure(name: "  written by make schema", value: generated),
      Figure(name: "Swift files", value: files.count),
      Figure(name: "  lines of the one in the middle", value: files.isEmpty ? 0 : files[files.count / 2]),
      Figure(name: "  lines of the largest file", value: files.last ?? 0, goal: "<= 500"),
      Figure(name: "  named Type+Aspect, %", value: Self.percent(aspects, of: files.count), goal: "< 10"),
      Figure(name: "modules and programs", value: modules.count),
      Figure(name: "  whose folders use each other", value: circles.values.count { !$0.isEmpty }, goal: "0"),
      Figure(
        name: "private variables of the ten largest types, %", value: Self.percent(hidden, of: state), goal: ">= 70"),
      Figure(name: "functions", value: functions.count),
      Figure(name: "  lines of the largest function", value: functions.max() ?? 0),
    ]
    return figures
  }

  /// The largest types that have variables, each with its lines, its files and its variables, and the largest functions.
  var largest: String {
    let types = largestTypes.map { module, kind in
      "\(module.path) \(kind.name): \(kind.lines) lines, \(kind.files.count) files, "
        + "\(kind.hiddenState) of \(kind.state) variables private"
    }
    let functions = sources.flatMap { source in source.symbols.filter(\.isFunction).map { (source.path, $0) } }
      .sorted { $0.1.count > $1.1.count }.prefix(5)
      .map { path, symbol in "\(path):\(symbol.firstLine): \(symbol.count) lines" }
    return (types + functions).joined(separator: "\n")
  }

  private var largestTypes: [(module: Module, kind: Module.Kind)] {
    let types = modules.flatMap { module in
      module.kinds.values.filter { $0.state > 0 }.map { (module: module, kind: $0) }
    }
    return Array(types.sorted { $0.kind.lines > $1.kind.lines }.prefix(10))
  }

  /// The modules of each part; the last one has those of no part, and should be empty.
  var parts: [(name: String, modules: [Module])] {
    let named: [(name: String, modules: [Module])] = House.parts.map { part in
      (part.name, modules.filter { part.modules.contains($0.name) } + (part.name == "push" ? functions : []))
    }
    let known = House.parts.reduce(into: Set()) { $0.formUnion($1.modules) }
    let others = modules.filter { !known.contains($0.name) }
    return named + (others.isEmpty ? [] : [("no part", others)])
  }

  private static func percent(_ part: Int, of all: Int) -> Int { (100 * part + all / 2) / max(1, all) }
}

/// A declaration of a Swift file, at its top or in a type.
///
/// `Source.locals` has what functions declare for themselves.
struct Symbol {
  /// The word that declares it, such as `struct`, `func` or `case`.
  let keyword: Substring
  /// The words before that one, such as `package` and `private(set)`.
  let modifiers: [Substring]
  /// The rest behind it, up to the end of its line.
  let rest: Substring
  /// Several for `case first, second`, none for an initializer; of an extension, the type that it extends.
  var names: [Substring] = []
  /// Whether it is a variable or a constant that keeps a value, and does not compute it.
  var isStored = false
  /// Where in the file's symbols the type or extension is in which it stands.
  let owner: Int?
  let indentation: Int
  let firstLine: Int
  var lastLine: Int

  /// Reads the beginning of a declaration; nil if a line is none.
  init?(_ code: Substring, indentation: Int, line: Int, owner: Int?) {
    var (words, rest) = ([Substring](), code)
    while let found = Self.word(&rest) {
      let isType = found != "class" || !["func ", "var ", "let "].contains { rest.hasPrefix(" \($0)") }
      if Self.keywords.contains(found), isType {
        (keyword, modifiers, self.rest) = (found, words, rest.drop { $0 == " " })
        (self.indentation, firstLine, lastLine, self.owner) = (indentation, line, line, owner)
        return
      }
      let name = found.prefix { $0 != "(" }
      guard found.hasPrefix("@") || Self.modifiers.contains(name) else { return nil }
      words.append(found)
    }
    return nil
  }

  var count: Int { lastLine - firstLine + 1 }

  var isType: Bool { Self.typeKeywords.contains(keyword) }
  var isFunction: Bool { ["func", "init", "deinit", "subscript"].contains(keyword) }
  /// Whether others may use it, if they may use what it stands in.
  var isOpen: Bool { modifiers.contains { ["public", "package", "open"].contains($0) } }
  /// Whether it is a variable of each of its owner's values.
  var isState: Bool { keyword == "var" && isStored && !modifiers.contains { $0 == "static" || $0 == "class" } }
  /// Whether no other file changes it.
  var isHidden: Bool { modifiers.contains { $0.hasPrefix("private") || $0.hasPrefix("fileprivate") } }

  /// Reads the names, and whether it is stored, from all that stands before its body.
  mutating func complete(with head: Substring) {
    switch keyword {
    case "init", "deinit", "subscript": break
    case "case": names = Self.parts(of: head).map(Self.name)
    case "let", "var":
      names =
        head.hasPrefix("(") ? Self.parts(of: head.dropFirst().prefix { $0 != ")" }).map(Self.name) : [Self.name(head)]
      let type = head.prefix { $0 != "{" }
      isStored =
        type.has(" = ") || type.hasSuffix(" =") || type.utf8.count == head.utf8.count
        || ["{ didSet", "{ willSet"].contains(where: head.has)
    case "func": names = [head.prefix { !" (<".contains($0) || $0 == "<" && head.hasPrefix("<") }]
    default: names = [head.prefix { $0.isLetter || $0.isNumber || "_.`".contains($0) }]
    }
  }

  static let typeKeywords: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "extension"]
  private static let keywords = typeKeywords.union([
    "func", "var", "let", "case", "init", "deinit", "subscript", "typealias", "associatedtype",
  ])
  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "private", "fileprivate", "open", "static", "class", "final", "mutating",
    "nonmutating", "override", "required", "convenience", "lazy", "weak", "unowned", "nonisolated", "indirect",
    "dynamic",
    "borrowing", "consuming", "prefix", "postfix", "infix",
  ]

  /// Takes the next word, with what stands in parentheses directly behind it if it does not declare anything.
  private static func word(_ rest: inout Substring) -> Substring? {
    rest = rest.drop { $0 == " " }
    let start = rest
    rest = rest.drop { $0.isLetter || $0.isNumber || "_@.".contains($0) }
    let word = start[..<rest.startIndex]
    guard !word.isEmpty else { return nil }
    guard rest.first == "(", !keywords.contains(word) else { return word }
    var depth = 0
    while let character = rest.popFirst() {
      depth += character == "(" ? 1 : character == ")" ? -1 : 0
      if depth == 0 { break }
    }
    return start[..<rest.startIndex]
  }

  /// The parts between the commas that are in no parentheses.
  private static func parts(of text: Substring) -> [Substring] {
    var depth = 0
    return text.split { character in
      depth += "([".contains(character) ? 1 : ")]".contains(character) ? -1 : 0
      return depth == 0 && character == ","
    }
  }

  private static func name(_ text: Substring) -> Substring {
    text.drop { " `".contains($0) }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
  }
}

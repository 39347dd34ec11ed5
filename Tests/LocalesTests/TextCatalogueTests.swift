import Testing

@testable import Locales

struct TextCatalogueTests {
  @Test func aLineIsATextOrAPluralForm() throws {
    let catalogue = try TextCatalogue(
      """
      # A note.

      hello = Hello {name}, how are you?
        votes[one]={count} vote\r
      votes[other] = {count} votes = all
      """)

    #expect(catalogue.texts.keys.sorted() == ["hello", "votes"])
    #expect(
      catalogue.texts["hello"]?.form("few") == [.words("Hello "), .fact("name"), .words(", how are you?")])
    #expect(catalogue.texts["votes"]?.form("one") == [.fact("count"), .words(" vote")])
    #expect(catalogue.texts["votes"]?.form("many") == [.fact("count"), .words(" votes = all")])
    #expect(catalogue.texts["votes"]?.categories == ["one", "other"])
    #expect(catalogue.texts["votes"]?.facts(in: "one") == ["count"])
  }

  @Test(arguments: [
    ("hello", "It has no `=`."), ("hello =", "It has no text."), ("= x", "Its name has other characters"),
    ("Hello = x", "Its name has other characters"), ("a[several] = x", "several is no plural category."),
    ("a = {", "Its braces do not hold"), ("a = }", "Its braces do not hold"), ("a = {b", "Its braces do not hold"),
    ("a = {}", "Its braces do not hold"), ("a = {{b}}", "Its braces do not hold"),
    ("a = {b c}", "Its braces do not hold"), ("first = x", "first is there twice."),
    ("first[other] = x", "first is there twice."),
  ])
  func aLineThatCannotBeReadIsNamed(line: String, sentence: String) {
    let fault = #expect(throws: CatalogueFault.self) { try TextCatalogue("first = 1\n\n\(line)\nlast = 2\n") }

    #expect(fault?.line == 3)
    #expect(fault?.sentence.hasPrefix(sentence) == true)
  }

  @Test func aFormJoinsTheOthersAndATextTakesTheirPlace() throws {
    let catalogue = try TextCatalogue("a[one] = one\na[other] = many\nb[one] = one\nb[other] = many")

    let texts = catalogue.overridden(by: try TextCatalogue("a[one] = 1\nb = n\nc[one] = 1")).texts

    #expect(texts["a"]?.written("one") == "1" && texts["a"]?.written("other") == "many")
    #expect(texts["b"]?.written("one") == nil && texts["b"]?.form("one") == [.words("n")])
    #expect(texts["c"]?.form("few") == nil)
  }
}

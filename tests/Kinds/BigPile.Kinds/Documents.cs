using System;
using System.Collections.Generic;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace BigPile.Kinds;

/// <summary>Patterns, documents and their parts.</summary>
internal static class Documents
{
    private const string Json = """{ "b": [1, 2.50, null, true], "a": { "é": "text \n" }, "b2": 1e400 }""";

    // Its stack must be the same each time.
    private static Exception Thrown()
    {
        try
        {
            throw new InvalidOperationException("thrown", new TimeoutException());
        }
        catch (InvalidOperationException e)
        {
            return e;
        }
    }

    public static IEnumerable<Kind> All() =>
    [
        .. Places.Of("pattern", () => new Regex("a/b(?<n>.)", RegexOptions.IgnoreCase | RegexOptions.Compiled, TimeSpan.FromSeconds(2))),
        .. Places.Of("JSON object", () => JsonNode.Parse(Json)!.AsObject()),
        .. Places.Of("JSON array", () => new JsonArray(1, "two", null, new JsonObject { ["x"] = 3 })),
        .. Places.Of("JSON node", () => JsonNode.Parse(Json)!),
        .. Places.Of("JSON value", () => JsonValue.Create(5.25m)),
        .. Places.Of("JSON without case", () =>
            JsonNode.Parse("""{"a":1}""", new JsonNodeOptions { PropertyNameCaseInsensitive = true })!.AsObject()),
        .. Places.Of("part of JSON", () => JsonNode.Parse(Json)!["a"]!, Outcome.Refused),
        .. Places.Of("JSON document", () => JsonDocument.Parse(Json)),
        .. Places.Of("JSON element", () => JsonDocument.Parse(Json).RootElement.GetProperty("b")),
        .. Places.Of("no JSON element", () => default(JsonElement)),
        .. Places.Of("XML element", () =>
            new XElement("a", new XAttribute("b", "1\r\n"), " text\r\n ", new XCData("<x>"), new XElement("{urn:n}c"))),
        .. Places.Of(
            "XML document", () => new XDocument(new XDeclaration("1.0", "utf-8", "yes"), new XComment("c"), new XElement("root", "t"))),
        .. Places.Of("exception", Thrown),
        .. Places.Of(
            "exception of many", () => new AggregateException("many", new ArgumentNullException("name"), new FormatException("text"))),
        .. Places.Of("own exception", () =>
            new OwnException("own", 5, new System.IO.FileNotFoundException("gone", "file.txt")) { Data = { ["k"] = 7 } }),
        .. Places.Of("part of XML", () => new XElement("a", new XElement("b")).Element("b")!, Outcome.Refused),
    ];
}

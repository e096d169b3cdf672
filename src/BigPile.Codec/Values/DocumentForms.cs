using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using System.Xml;
using System.Xml.Linq;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Values;

/// <summary>The texts that represent patterns, endpoints and documents. A document that its text would not restore is refused.</summary>
internal static class DocumentForms
{
    private const char Separator = '/';
    private const char IgnoresCaseMark = '\u0001';
    private const int JsonDepthMost = 1000;

    private static readonly JsonDocumentOptions AnyJson = new()
    {
        MaxDepth = JsonDepthMost, AllowTrailingCommas = true, CommentHandling = JsonCommentHandling.Skip,
    };

    private static readonly XmlWriterSettings ExactXml = new()
    {
        OmitXmlDeclaration = true, NewLineHandling = NewLineHandling.Entitize, ConformanceLevel = ConformanceLevel.Auto,
    };

    /// <summary>The text of a pattern: its options, its time limit in ticks, and the pattern itself.</summary>
    public static string Of(Regex regex) =>
        FormattableString.Invariant($"{(int)regex.Options}{Separator}{regex.MatchTimeout.Ticks}{Separator}{regex}");

    public static Regex ParseRegex(string text)
    {
        if (text.Split(Separator, 3) is [var options, var ticks, var pattern]
            && int.TryParse(options, CultureInfo.InvariantCulture, out int flags)
            && long.TryParse(ticks, CultureInfo.InvariantCulture, out long limit))
            return new Regex(pattern, (RegexOptions)flags, new TimeSpan(limit));
        throw new PileSerializationException("The payload is damaged: text is no pattern.");
    }

    public static string Of(IPEndPoint point) => point.ToString();

    public static string Of(JsonNode node)
    {
        if (node.Parent is not null)
            throw new RefusedException(
                typeof(JsonNode), "A JsonNode that is part of another can't be stored alone: store the root, or its DeepClone().");
        bool ignoresCase = node.Options is { PropertyNameCaseInsensitive: true };
        string text = (ignoresCase ? IgnoresCaseMark : "") + node.ToJsonString(new JsonSerializerOptions { MaxDepth = JsonDepthMost });
        return JsonNode.DeepEquals(ParseNode(text), node) ? text : throw new RefusedException(
            typeof(JsonNode),
            "A JsonNode can't be stored if its text is read back differently, for example because of lone surrogates: store its values.");
    }

    public static T ParseNode<T>(string text)
        where T : JsonNode => ParseNode(text) as T ?? throw new PileSerializationException($"The payload's JSON is no {typeof(T)}.");

    private static JsonNode? ParseNode(string text)
    {
        bool ignoresCase = text.StartsWith(IgnoresCaseMark);
        JsonNodeOptions? options = ignoresCase ? new JsonNodeOptions { PropertyNameCaseInsensitive = true } : null;
        return JsonNode.Parse(ignoresCase ? text[1..] : text, options, AnyJson);
    }

    public static string Of(JsonDocument document) => document.RootElement.GetRawText();

    public static JsonDocument ParseDocument(string text) => JsonDocument.Parse(text, AnyJson);

    public static string Of(XElement element)
    {
        if (element.Parent is not null || element.Document is not null)
            throw new RefusedException(
                typeof(XElement),
                "An XElement that is part of a document can't be stored alone: store the document, or new XElement(element).");
        string text = Write(element);
        return XNode.DeepEquals(Bare(ParseElement(text)), Bare(element)) ? text : throw WhyNot(element);
    }

    public static XElement ParseElement(string text) => XElement.Parse(text, LoadOptions.PreserveWhitespace);

    public static string Of(XDocument document)
    {
        string text = document.Declaration + Write(document);
        XDocument again = ParseXml(text);
        return XNode.DeepEquals(Bare(again.Root), Bare(document.Root)) && again.Declaration?.ToString() == document.Declaration?.ToString()
            ? text
            : throw WhyNot(document);
    }

    public static XDocument ParseXml(string text) => XDocument.Parse(text, LoadOptions.PreserveWhitespace);

    // A copy without namespace declarations: parsing adds them even where the element had none, so they are left out of comparisons.
    private static XElement? Bare(XElement? element)
    {
        if (element is null)
            return null;
        var bare = new XElement(element);
        bare.DescendantsAndSelf().Attributes().Where(attribute => attribute.IsNamespaceDeclaration).Remove();
        return bare;
    }

    private static string Write(XNode node)
    {
        using var target = new StringWriter();
        using (XmlWriter writer = XmlWriter.Create(target, ExactXml))
            node.WriteTo(writer);
        return target.ToString();
    }

    private static RefusedException WhyNot(XNode node) =>
        new(
            node.GetType(),
            $"An {node.GetType().Name} can't be stored if its text is read back differently, for example because of adjacent text nodes: "
            + "store the text.");
}

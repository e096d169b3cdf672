using System;
using System.Collections.Generic;
using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using BigPile.Codec.Collections;
using BigPile.Codec.Graph;
using BigPile.Codec.Models;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Resolution;

/// <summary>The classes of the base class library that are stored as one text.</summary>
internal static class TextModels
{
    private static readonly Dictionary<Type, Func<ModelCache, TypeModel>> Makers = new()
    {
        [typeof(string)] = static m => new TextModel<string>(m, text => text, text => text),
        [typeof(Uri)] = static m => new TextModel<Uri>(m, TextForms.Of, TextForms.ParseUri),
        [typeof(Version)] = static m => new TextModel<Version>(m, version => version.ToString(), Version.Parse),
        [typeof(StringBuilder)] = static m => new TextModel<StringBuilder>(m, TextForms.Of, text => new StringBuilder(text)),
        [typeof(CultureInfo)] = static m => new TextModel<CultureInfo>(m, TextForms.Of, CultureInfo.GetCultureInfo),
        [typeof(TimeZoneInfo)] = static m => new TextModel<TimeZoneInfo>(m, TextForms.Of, TextForms.ParseZone),
        [typeof(IPAddress)] = static m => new TextModel<IPAddress>(m, address => address.ToString(), IPAddress.Parse),
        [typeof(Type)] = static m => new TextModel<Type>(m, m.Types.NameToStore, m.Types.Resolve),
        [typeof(StringComparer)] = static m =>
            new TextModel<StringComparer>(m, NameOf, text => (StringComparer)Comparers.Of(Enum.Parse<ComparerCode>(text))!),
    };

    // Documents and patterns: one text each, however they are represented in memory.
    private static readonly Dictionary<Type, Func<ModelCache, TypeModel>> DocumentMakers = new()
    {
        [typeof(DBNull)] = static m => new TextModel<DBNull>(m, static _ => "", static _ => DBNull.Value),
        [typeof(IPEndPoint)] = static m => new TextModel<IPEndPoint>(m, DocumentForms.Of, IPEndPoint.Parse),
        [typeof(Regex)] = static m => new TextModel<Regex>(m, DocumentForms.Of, DocumentForms.ParseRegex),
        [typeof(JsonObject)] = static m => new TextModel<JsonObject>(m, DocumentForms.Of, DocumentForms.ParseNode<JsonObject>),
        [typeof(JsonArray)] = static m => new TextModel<JsonArray>(m, DocumentForms.Of, DocumentForms.ParseNode<JsonArray>),
        [typeof(JsonValue)] = static m => new TextModel<JsonValue>(m, DocumentForms.Of, DocumentForms.ParseNode<JsonValue>),
        [typeof(JsonDocument)] = static m => new TextModel<JsonDocument>(m, DocumentForms.Of, DocumentForms.ParseDocument),
        [typeof(XElement)] = static m => new TextModel<XElement>(m, DocumentForms.Of, DocumentForms.ParseElement),
        [typeof(XDocument)] = static m => new TextModel<XDocument>(m, DocumentForms.Of, DocumentForms.ParseXml),
    };

    public static IEnumerable<Type> Types => [.. Makers.Keys, .. DocumentMakers.Keys];

    /// <summary>The public class under which objects of a type are stored: the runtime's own classes often derive from it.</summary>
    public static Type? PublicType(Type type)
    {
        for (Type? level = type; level is not null; level = level.BaseType)
        {
            if (Makers.ContainsKey(level) || DocumentMakers.ContainsKey(level))
                return level.Assembly == type.Assembly ? level : null;
        }
        return null;
    }

    public static TypeModel Make(Type publicType, ModelCache models) =>
        (Makers.TryGetValue(publicType, out Func<ModelCache, TypeModel>? maker) ? maker : DocumentMakers[publicType])(models);

    private static string NameOf(StringComparer comparer)
    {
        ComparerCode code = Comparers.CodeOf(comparer);
        return code < ComparerCode.Reference ? code.ToString() : throw new RefusedException(
            typeof(StringComparer), "A comparer with a culture of its own can't be stored.");
    }
}

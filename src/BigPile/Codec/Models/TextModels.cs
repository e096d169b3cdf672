using System;
using System.Collections.Generic;
using System.Globalization;
using System.Net;
using System.Text;

namespace BigPile.Codec;

/// <summary>The classes of the base class library that are stored as one text.</summary>
internal static class TextModels
{
    private static readonly Dictionary<Type, Func<ModelCache, TypeModel>> Makers = new()
    {
        [typeof(string)] = static m => new TextModel<string>(m, text => text, text => text),
        [typeof(Uri)] = static m => new TextModel<Uri>(m, uri => uri.OriginalString, text => new Uri(text, UriKind.RelativeOrAbsolute)),
        [typeof(Version)] = static m => new TextModel<Version>(m, version => version.ToString(), Version.Parse),
        [typeof(StringBuilder)] = static m => new TextModel<StringBuilder>(m, builder => builder.ToString(), text => new StringBuilder(text)),
        [typeof(CultureInfo)] = static m => new TextModel<CultureInfo>(m, culture => culture.Name, CultureInfo.GetCultureInfo),
        [typeof(TimeZoneInfo)] = static m => new TextModel<TimeZoneInfo>(m, zone => zone.ToSerializedString(), TimeZoneInfo.FromSerializedString),
        [typeof(IPAddress)] = static m => new TextModel<IPAddress>(m, address => address.ToString(), IPAddress.Parse),
        [typeof(Type)] = static m => new TextModel<Type>(m, type => NameOf(type, m.Types), m.Types.Resolve),
        [typeof(StringComparer)] = static m => new TextModel<StringComparer>(m, NameOf, text => (StringComparer)Comparers.Of(Enum.Parse<ComparerCode>(text))!),
    };

    public static IEnumerable<Type> Types => Makers.Keys;

    /// <summary>The class under which objects of a type are stored; the runtime's own are often derived from it and not public.</summary>
    public static Type? PublicType(Type type)
    {
        for (Type? level = type; level is not null; level = level.BaseType)
        {
            if (Makers.ContainsKey(level))
                return level.Assembly == type.Assembly ? level : null;
        }
        return null;
    }

    public static TypeModel Make(Type publicType, ModelCache models) => Makers[publicType](models);

    // A name that could not be resolved again must not be written.
    private static string NameOf(Type type, TypeRegistry types)
    {
        string name = types.NameOf(type);
        return types.TryResolve(name) == type ? name : throw new RefusedException(
            typeof(Type), $"The type object of {type} can't be stored: it is neither of the application's own assemblies nor allowed.");
    }

    private static string NameOf(StringComparer comparer)
    {
        ComparerCode code = Comparers.CodeOf(comparer);
        return code < ComparerCode.Reference ? code.ToString() : throw new RefusedException(
            typeof(StringComparer), "A comparer with a culture of its own can't be stored.");
    }
}

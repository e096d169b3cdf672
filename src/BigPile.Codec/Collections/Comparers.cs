using System;
using System.Collections.Generic;

namespace BigPile.Codec.Collections;

/// <summary>
/// The codes of comparers. One without a code of its own is stored as an object, after <see cref="ComparerCode.Object"/>.
/// </summary>
internal enum ComparerCode
{
    Default = 0,
    Ordinal = 1,
    OrdinalIgnoreCase = 2,
    Invariant = 3,
    InvariantIgnoreCase = 4,
    CurrentCulture = 5,
    CurrentCultureIgnoreCase = 6,
    Reference = 7,
    Object = 8,
}

/// <summary>Maps comparers to codes, and codes to comparers.</summary>
internal static unsafe class Comparers
{
    public static ComparerCode CodeOf(StringComparer comparer) => CodeOfText(comparer);

    /// <summary>The code of the equality comparer of a collection without type arguments.</summary>
    public static ComparerCode CodeOfUntyped(object? comparer) => comparer switch
    {
        null => ComparerCode.Default,
        ReferenceEqualityComparer => ComparerCode.Reference,
        StringComparer text => CodeOf(text),
        _ => ComparerCode.Object,
    };

    public static ComparerCode CodeOf<T>(IEqualityComparer<T>? comparer)
    {
        if (comparer is null || comparer.Equals(EqualityComparer<T>.Default))
            return ComparerCode.Default;
        return comparer is ReferenceEqualityComparer ? ComparerCode.Reference : CodeOfText(comparer);
    }

    public static ComparerCode CodeOf<T>(IComparer<T>? comparer) =>
        comparer is null || comparer.Equals(Comparer<T>.Default) ? ComparerCode.Default : CodeOfText(comparer);

    /// <summary>The comparer of a code, or null for the default one.</summary>
    public static object? Of(ComparerCode code) => code switch
    {
        ComparerCode.Default => null,
        ComparerCode.Ordinal => StringComparer.Ordinal,
        ComparerCode.OrdinalIgnoreCase => StringComparer.OrdinalIgnoreCase,
        ComparerCode.Invariant => StringComparer.InvariantCulture,
        ComparerCode.InvariantIgnoreCase => StringComparer.InvariantCultureIgnoreCase,
        ComparerCode.CurrentCulture => StringComparer.CurrentCulture,
        ComparerCode.CurrentCultureIgnoreCase => StringComparer.CurrentCultureIgnoreCase,
        ComparerCode.Reference => ReferenceEqualityComparer.Instance,
        _ => throw new PileSerializationException($"The payload names a comparer with code {(int)code}, which does not exist."),
    };

    private static ComparerCode CodeOfText(object comparer)
    {
        for (ComparerCode code = ComparerCode.Ordinal; code <= ComparerCode.CurrentCultureIgnoreCase; code++)
        {
            if (comparer.Equals(Of(code)))
                return code;
        }
        return ComparerCode.Object;
    }
}

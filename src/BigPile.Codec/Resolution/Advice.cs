using System;
using System.Collections;
using System.Threading;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Resolution;

/// <summary>What to do instead of storing an object for whose type there is no format.</summary>
internal static class Advice
{
    private static readonly Type[] Locks =
    [
        typeof(Lock), typeof(SemaphoreSlim), typeof(ReaderWriterLockSlim), typeof(ManualResetEventSlim), typeof(CountdownEvent),
            typeof(Barrier),
    ];

    /// <summary>The advice, as sentences.</summary>
    public static string For(Type type)
    {
        if (Array.IndexOf(Locks, type) >= 0)
            return "It guards what one process does: mark the field [NonSerialized], and make it anew in "
                + $"{nameof(IPileReadCallback)}.{nameof(IPileReadCallback.OnRead)}.";
        if (type.FullName?.StartsWith("System.Data.", System.StringComparison.Ordinal) == true)
            return "It holds rows with all that watches them: store the rows as objects of a class of yours, or the text of WriteXml "
                + "with the schema, which ReadXml takes.";
        if (type.Assembly.IsDynamic)
            return "Its class was made while the program ran, as proxies are: store an object of the class behind it, for example by "
                + "turning proxies off.";
        if (!FrameworkNames.IsOfFramework(type))
            return "It is neither of the application's own assemblies nor allowed: call "
                + $"{nameof(PileCodecOptions)}.{nameof(PileCodecOptions.Allow)}(typeof({NameOf(type)}).Assembly) before the pile is "
                + "opened, or mark the field [NonSerialized].";
        return typeof(IEnumerator).IsAssignableFrom(type) || (typeof(IEnumerable).IsAssignableFrom(type) && !type.IsVisible)
            ? "It is a query or a view, which has not run or shows what others hold: store its results, for example by ToList()."
            : "There is no format for what is inside it, which another version of the framework may have otherwise: store what it is "
                + "made from, or mark the field [NonSerialized].";
    }

    // As source code has it, as far as that goes without its arguments.
    private static string NameOf(Type type)
    {
        Type definition = type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type;
        string name = (definition.FullName ?? definition.Name).Replace('+', '.');
        int mark = name.IndexOf('`', System.StringComparison.Ordinal);
        return mark < 0 ? name : $"{name[..mark]}<{new string(',', definition.GetGenericArguments().Length - 1)}>";
    }
}

using System;
using System.Collections;
using System.Threading;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Resolution;

/// <summary>Advice in error messages: what to do instead of storing an object whose type has no format.</summary>
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
            return "It synchronizes the threads of one process: mark the field [NonSerialized], and make it anew in "
                + $"{nameof(IPileReadCallback)}.{nameof(IPileReadCallback.OnRead)}.";
        if (type.FullName?.StartsWith("System.Data.", System.StringComparison.Ordinal) == true)
            return "It holds rows together with views and event handlers: store the rows as objects of your own class, or the text that "
                + "WriteXml writes with the schema, for ReadXml.";
        if (type.Assembly.IsDynamic)
            return "Its class was generated at run time, as those of proxies: store an object of the class behind it, for example by "
                + "turning proxies off.";
        if (!FrameworkNames.IsOfFramework(type))
            return "Its assembly is neither one of the application's nor allowed: call "
                + $"{nameof(PileCodecOptions)}.{nameof(PileCodecOptions.Allow)}(typeof({NameOf(type)}).Assembly) before the pile is "
                + "opened, or mark the field [NonSerialized].";
        return typeof(IEnumerator).IsAssignableFrom(type) || (typeof(IEnumerable).IsAssignableFrom(type) && !type.IsVisible)
            ? "It is a query or a view: store its results, for example by ToList()."
            : "It has no stable format: another version of the framework may have other fields. Store the data that it is made from, or "
                + "mark the field [NonSerialized].";
    }

    // The name as in source code, with the type arguments left open.
    private static string NameOf(Type type)
    {
        Type definition = type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type;
        string name = (definition.FullName ?? definition.Name).Replace('+', '.');
        int mark = name.IndexOf('`', System.StringComparison.Ordinal);
        return mark < 0 ? name : $"{name[..mark]}<{new string(',', definition.GetGenericArguments().Length - 1)}>";
    }
}

using System;
using System.Collections;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Models;
using BigPile.Codec.Schema;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>The content of <see cref="Exception"/>: message, stack as text, source, link, number, inner exception, and data.</summary>
/// <remarks>A derived class's own fields are stored after it. The method that threw the exception is not stored.</remarks>
internal sealed unsafe class ExceptionModel(Type type, FieldCodec text, FieldCodec any, ModelCache models) : ContainerModel(type, models)
{
    private const int MemberCount = 7;

    private static readonly FieldCodec Number = new LeafCodec<int, Int32Format>("int32");

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        var exception = (Exception)value;
        if (p > c.End)
            p = c.Grow(p, 0);
        p = Encode.ArrayHeader(p, MemberCount, typeId);
        p = Items.WriteOne(ExceptionAccess.Message(exception), text, p, c);
        p = Items.WriteOne(exception.StackTrace, text, p, c);
        p = Items.WriteOne(exception.Source, text, p, c);
        p = Items.WriteOne(exception.HelpLink, text, p, c);
        p = Items.WriteOne(exception.HResult, Number, p, c);
        p = Items.WriteOne<object?>(exception.InnerException, any, p, c);
        return Items.WriteOne<object?>(DataOf(exception), any, p, c);
    }

    public override void Define(DefinitionWriter definition)
    {
        definition.Begin(Type, SchemaForm.Fields, MemberCount);
        foreach (string name in (ReadOnlySpan<string>)["message", "stack", "source", "link"])
            Define(definition, name, text);
        Define(definition, "number", Number);
        Define(definition, "inner", any);
        Define(definition, "data", any);
    }

    protected override byte* Fill(object value, int count, byte* p, ReadContext c)
    {
        if (count != MemberCount)
            BadData.WrongCount(Type, count);
        var exception = (Exception)value;
        p = Items.ReadOne(out string? message, text, p, c);
        p = Items.ReadOne(out string? stack, text, p, c);
        p = Items.ReadOne(out string? source, text, p, c);
        p = Items.ReadOne(out string? link, text, p, c);
        p = Items.ReadOne(out int number, Number, p, c);
        p = Items.ReadOne(out object? inner, any, p, c);
        p = Items.ReadOne(out object? data, any, p, c);
        if (inner is not (null or Exception) || data is not (null or object?[]))
            BadData.Invalid("an exception's inner exception or data is of another type");
        ExceptionAccess.Construct(exception, message, (Exception?)inner);
        ExceptionAccess.Message(exception) = message;
        ExceptionAccess.Stack(exception) = stack;
        ExceptionAccess.Source(exception) = source;
        ExceptionAccess.HelpLink(exception) = link;
        exception.HResult = number;
        c.Complete(() => AddData(exception, (object?[]?)data));
        return p;
    }

    private static void Define(DefinitionWriter definition, string name, FieldCodec codec)
    {
        definition.Text(name);
        codec.Describe(definition);
    }

    // Keys and values alternate.
    private static object?[]? DataOf(Exception exception)
    {
        if (exception.Data.Count == 0)
            return null;
        var items = new object?[2 * exception.Data.Count];
        int at = 0;
        foreach (DictionaryEntry entry in exception.Data)
            (items[at++], items[at++]) = (entry.Key, entry.Value);
        return items;
    }

    private static void AddData(Exception exception, object?[]? items)
    {
        for (int i = 0; i + 1 < (items?.Length ?? 0); i += 2)
            exception.Data[items![i]!] = items[i + 1];
    }
}

/// <summary>Constructs exceptions in place, and accesses their private fields.</summary>
internal static class ExceptionAccess
{
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(Exception target, string? message, Exception? inner);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_message")]
    public static extern ref string? Message(Exception target);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_remoteStackTraceString")]
    public static extern ref string? Stack(Exception target);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_source")]
    public static extern ref string? Source(Exception target);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_helpURL")]
    public static extern ref string? HelpLink(Exception target);
}

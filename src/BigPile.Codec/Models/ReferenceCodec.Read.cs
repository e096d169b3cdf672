using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Models;

/// <content>Reading.</content>
internal sealed unsafe partial class ReferenceCodec
{
    // The last model whose type was found to fit the declared type: a cache.
    private TypeModel? _lastAccepted;

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        ref object? target = ref Unsafe.As<byte, object?>(ref field);
        Debug.Assert(_exactFields is null || _declared.IsAssignableFrom(_exactFields.Type), "What is read unchecked fits the member.");
        if (_exactFields is { } exact && *p == exact.Header && !ReadContext.IsTypeId(p + 1))
            return exact.ReadObject(ref target, p + 1, c);
        return ReadOther(ref target, p, c);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* ReadOther(ref object? target, byte* p, ReadContext c)
    {
        byte code = *p;
        if (p > c.End)
            BadData.Truncated();
        if (code == Code.Nil)
        {
            target = null;
            return p + 1;
        }
        if (Code.IsArray(code))
            return ReadArray(ref target, p, c);
        if (Code.IsString(code) && _declared.IsAssignableFrom(typeof(string)))
            return TextDecode.String(p, ref Unsafe.As<object?, string?>(ref target), c);
        if (Code.IsExtension(code))
            return ReadExtension(ref target, p, c);
        return ReadExact(ref target, -1, p, c);
    }

    private byte* ReadArray(ref object? target, byte* p, ReadContext c)
    {
        byte* content = c.ArrayHeader(p, out int count);
        if (count == 0 || !ReadContext.IsTypeId(content))
            return ReadExact(ref target, count, content, c);
        content = c.ShortExtension(content, ExtensionCode.TypeId, out uint id);
        TypeModel model = ReaderOf((int)id, c);
        return model.ReadContent(ref target, count - 1, content, c);
    }

    private byte* ReadExtension(ref object? target, byte* p, ReadContext c)
    {
        byte* content = c.ExtensionHeader(p, out sbyte extension, out int length);
        if (extension == ExtensionCode.BackReference)
        {
            p = c.ShortExtension(p, ExtensionCode.BackReference, out uint number);
            object? value = c.Registered(number);
            if (value is SkippedObject)
                value = c.IsDiscarding
                    ? null
                    : throw new PileSchemaException($"A member of type {_declared} refers to an object whose type no longer exists.");
            else if (!_declared.IsInstanceOfType(value))
                BadData.WrongType(value.GetType(), _declared);
            target = value;
            return p;
        }
        if (extension == ExtensionCode.ForwardReference)
            return ReadForward(ref target, content, length, c);
        if (extension == ExtensionCode.Utf16 && _declared.IsAssignableFrom(typeof(string)))
            return TextDecode.String(p, ref Unsafe.As<object?, string?>(ref target), c);
        return ReadExact(ref target, -1, p, c);
    }

    private byte* ReadForward(ref object? target, byte* content, int length, ReadContext c)
    {
        if (length < sizeof(int) || length % sizeof(int) != 0)
            BadData.BadReference();
        TypeModel model = ReaderOf(*(int*)content, c);
        object value = model.CreateDeferred(new ReadOnlySpan<int>(content + sizeof(int), length / sizeof(int) - 1), c);
        Debug.Assert(value is SkippedObject || model.Type.IsInstanceOfType(value), "A model makes the objects that it fills later.");
        c.Register(value);
        c.Defer(value, model);
        target = value is SkippedObject ? null : value;
        return content + length;
    }

    private byte* ReadExact(ref object? target, int count, byte* p, ReadContext c)
    {
        TypeModel? exact = Exact;
        Debug.Assert(
            exact is null || _storedExact is not null || _declared.IsAssignableFrom(exact.Type),
            "Without a stored schema the model is that of the declared type.");
        if (exact is null)
            BadData.Unexpected(*p, $"an object for a member of type {_declared}");
        if (_storedExact is not null)
            Accept(exact);
        return exact.ReadContent(ref target, count, p, c);
    }

    private TypeModel ReaderOf(int typeId, ReadContext c)
    {
        TypeModel model = c.IsDiscarding ? c.Readers.ReaderOrSkipper(typeId) : c.Readers.Reader(typeId);
        Accept(model);
        return model;
    }

    private void Accept(TypeModel model)
    {
        if (ReferenceEquals(model, _lastAccepted) || model.IsSkipper)
            return;
        if (!_declared.IsAssignableFrom(model.Type))
            BadData.WrongType(model.Type, _declared);
        if (!model.Type.IsCollectible)
            _lastAccepted = model;
    }
}

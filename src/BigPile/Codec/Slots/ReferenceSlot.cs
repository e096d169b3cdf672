using System;
using System.Runtime.CompilerServices;

namespace BigPile.Codec;

/// <summary>A place for a reference: nil, the content of exactly the declared type, or an array that starts with a type id.</summary>
internal sealed unsafe class ReferenceSlot : Slot
{
    private readonly Type _declared;
    private readonly nint _declaredHandle;
    private readonly ModelCache _models;
    private readonly bool _canBeExact;
    private readonly Func<TypeModel>? _storedExact;
    private TypeModel? _exact;
    private FieldsModel? _exactFields;
    private TypeModel? _lastAccepted;
    private TypeModel? _lastWritten;

    public ReferenceSlot(Type declared, ModelCache models)
    {
        _declared = declared;
        _declaredHandle = declared.TypeHandle.Value;
        _models = models;
        _canBeExact = models.CanBeExact(declared);
    }

    /// <summary>A place as a stored schema had it: its exact content is what the schema says, not what the type looks like by now.</summary>
    public ReferenceSlot(Type declared, ModelCache models, Func<TypeModel>? storedExact)
    {
        _declared = declared;
        _declaredHandle = declared.TypeHandle.Value;
        _models = models;
        _canBeExact = storedExact is not null;
        _storedExact = storedExact;
    }

    public override SlotKind Kind => SlotKind.Reference;

    public override bool IsLeaf => false;

    public Type Declared => _declared;

    /// <summary>The model of the declared type, or null when no object can be exactly of it. Found late, since types refer to each other.</summary>
    public TypeModel? Exact => _exact ?? FindExact();

    public override byte* Write(ref byte place, byte* p, WriteContext c)
    {
        object? value = Unsafe.As<byte, object?>(ref place);
        if (value is null)
        {
            *p = Code.Nil;
            return p + 1;
        }
        return _canBeExact && RawObject.TypeHandle(value) == _declaredHandle ? Exact!.WriteReference(value, 0, p, c) : WriteOther(value, p, c);
    }

    public override byte* Read(ref byte place, byte* p, ReadContext c)
    {
        ref object? target = ref Unsafe.As<byte, object?>(ref place);
        if (_exactFields is { } exact && *p == exact.Header && !ReadContext.IsTypeId(p + 1))
            return exact.ReadContent(ref target, exact.Count, p + 1, c);
        return ReadOther(ref target, p, c);
    }

    public override void Describe(DefinitionWriter definition)
    {
        if (Exact is { } exact)
            definition.Entry(exact);
        else
            definition.Text("any");
    }

    public override void Analyze(SharingAnalysis analysis)
    {
        if (Exact is { } exact)
            analysis.Reach(exact);
    }

    private TypeModel? FindExact()
    {
        if (!_canBeExact)
            return null;
        TypeModel exact = _storedExact is null ? _models.ForType(_declared) : _storedExact();
        _exactFields = exact as FieldsModel;
        return _exact = exact;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* WriteOther(object value, byte* p, WriteContext c)
    {
        if (value is string text)
            return TextEncode.String(p, text, c);
        if (p > c.End)
            p = c.Grow(p, 0);
        TypeModel model = ModelOf(value);
        if (model.IsTracked && !c.IsTracking)
            throw new TrackingNeededException();
        return model.WriteReference(value, model.TypeId, p, c);
    }

    // Most places hold objects of one type for long. A type that can be unloaded is not held.
    private TypeModel ModelOf(object value)
    {
        if (_lastWritten is { } last && last.IsModelOf(value))
            return last;
        Type type = value.GetType();
        TypeModel model = _models.ForType(type);
        if (!type.IsCollectible)
            _lastWritten = model;
        return model;
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
            if (value is PassedObject)
                value = c.IsDropping ? null : throw new PileSchemaException($"A place of type {_declared} refers to an object whose type is gone.");
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
        c.Register(value);
        c.Deferred.Enqueue((value, model, c.IsDropping));
        target = value is PassedObject ? null : value;
        return content + length;
    }

    private byte* ReadExact(ref object? target, int count, byte* p, ReadContext c)
    {
        TypeModel? exact = Exact;
        if (exact is null)
            BadData.Unexpected(*p, $"an object for a place of type {_declared}");
        if (_storedExact is not null)
            Accept(exact);
        return exact.ReadContent(ref target, count, p, c);
    }

    private TypeModel ReaderOf(int typeId, ReadContext c)
    {
        TypeModel model = c.IsDropping ? c.Codec.ReaderOrPasser(typeId) : c.Codec.Reader(typeId);
        Accept(model);
        return model;
    }

    private void Accept(TypeModel model)
    {
        if (ReferenceEquals(model, _lastAccepted) || model is PassingModel)
            return;
        if (!_declared.IsAssignableFrom(model.Type))
            BadData.WrongType(model.Type, _declared);
        if (!model.Type.IsCollectible)
            _lastAccepted = model;
    }
}

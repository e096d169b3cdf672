using System;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Models;

/// <summary>A place for a reference: nil, the content of exactly the declared type, or an array that starts with a type id.</summary>
internal sealed unsafe partial class ReferenceCodec : FieldCodec
{
    private readonly Type _declared;
    private readonly nint _declaredHandle;
    private readonly ModelCache _models;
    private readonly bool _canBeExact;
    private readonly Func<TypeModel>? _storedExact;
    private TypeModel? _exact;
    private FieldsModel? _exactFields;
    private TypeModel? _lastWritten;

    public ReferenceCodec(Type declared, ModelCache models)
    {
        _declared = declared;
        _declaredHandle = declared.TypeHandle.Value;
        _models = models;
        _canBeExact = models.CanBeExact(declared);
    }

    /// <summary>
    /// A place as a stored schema had it: its exact content is what the schema says, not what the type looks like by now.
    /// </summary>
    /// <param name="declared">The place's type.</param>
    /// <param name="models">The models of the codec.</param>
    /// <param name="storedExact">The model of the exact content, or null when no content is exact.</param>
    /// <param name="exactType">The class whose objects are written as the exact content, when it is not the declared type.</param>
    public ReferenceCodec(Type declared, ModelCache models, Func<TypeModel>? storedExact, Type? exactType = null)
    {
        _declared = declared;
        _declaredHandle = (exactType ?? declared).TypeHandle.Value;
        _models = models;
        _canBeExact = storedExact is not null;
        _storedExact = storedExact;
    }

    public override FieldKind Kind => FieldKind.Reference;

    public override bool IsLeaf => false;

    /// <summary>
    /// The model of the declared type, or null when no object can be exactly of it. Found late, since types refer to each other.
    /// </summary>
    public TypeModel? Exact => _exact ?? FindExact();

    public override byte* Write(ref byte field, byte* p, WriteContext c)
    {
        object? value = Unsafe.As<byte, object?>(ref field);
        if (value is null)
        {
            *p = Code.Nil;
            return p + 1;
        }
        return _canBeExact && RawObject.TypeHandle(value) == _declaredHandle
            ? Exact!.WriteReference(value, 0, p, c)
            : WriteOther(value, p, c);
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
        if (c.IsPlain)
            throw new RefusedException(
                value.GetType(), PlainForm.WhyNot($"an object of type {value.GetType()} in a place of type {_declared}"));
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
        if (!type.IsCollectible && model is not RefusedModel)
            _lastWritten = model;
        return model;
    }
}

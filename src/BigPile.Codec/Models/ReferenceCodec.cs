using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Models;

/// <summary>
/// The codec of a reference: nil, the content of an object of exactly the declared type, or an array that starts with a type id.
/// </summary>
internal sealed unsafe partial class ReferenceCodec : FieldCodec
{
    private readonly Type _declared;

    // The type handle of the objects that are written without a type id.
    private readonly nint _declaredHandle;
    private readonly ModelCache _models;

    // Whether content without a type id exists.
    private readonly bool _canBeExact;

    // Finds the model of content without a type id, as a stored schema has it; null: the model of the declared type.
    private readonly Func<TypeModel>? _storedExact;

    // The model of content without a type id; null until the first use. Threads may race to set it, to equal models.
    private TypeModel? _exact;

    // _exact, if it is a FieldsModel: for the fast path of reading.
    private FieldsModel? _exactFields;

    // The model of the last object that was written with a type id: a cache.
    private TypeModel? _lastWritten;

    public ReferenceCodec(Type declared, ModelCache models)
    {
        _declared = declared;
        _declaredHandle = declared.TypeHandle.Value;
        _models = models;
        _canBeExact = models.CanBeExact(declared);
    }

    /// <summary>
    /// The codec of a reference whose content without a type id has another model than that of the declared type.
    /// </summary>
    /// <param name="declared">The declared type.</param>
    /// <param name="models">The models of the codec.</param>
    /// <param name="storedExact">The model of content without a type id, or null if all content has one.</param>
    /// <param name="exactType">The class whose objects are written without a type id, if it is not the declared type.</param>
    public ReferenceCodec(Type declared, ModelCache models, Func<TypeModel>? storedExact, Type? exactType = null)
    {
        Debug.Assert(exactType is null || declared.IsAssignableFrom(exactType), "A class that stands for an interface implements it.");
        _declared = declared;
        _declaredHandle = (exactType ?? declared).TypeHandle.Value;
        _models = models;
        _canBeExact = storedExact is not null;
        _storedExact = storedExact;
    }

    public override FieldKind Kind => FieldKind.Reference;

    public override bool IsLeaf => false;

    /// <summary>
    /// The model of content without a type id, or null if there is none. It is found at first use, because types refer to each other.
    /// </summary>
    public TypeModel? Exact => _exact ?? FindExact();

    public override byte* Write(ref byte field, byte* p, WriteContext c)
    {
        object? value = Unsafe.As<byte, object?>(ref field);
        Debug.Assert(value is null || _declared.IsInstanceOfType(value), "A member holds an object of its declared type.");
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
        // A member's type may have changed to one that derives from the stored one: then reading checks each object.
        _exactFields = _declared.IsAssignableFrom(exact.Type) ? exact as FieldsModel : null;
        return _exact = exact;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* WriteOther(object value, byte* p, WriteContext c)
    {
        if (value is string text)
            return TextEncode.String(p, text, c);
        if (c.IsPlain)
            throw new RefusedException(
                value.GetType(), PlainForm.WhyNot($"an object of type {value.GetType()} in a member of type {_declared}"));
        if (p > c.End)
            p = c.Grow(p, 0);
        TypeModel model = ModelOf(value);
        // The sharing analysis assumed an object of exactly the declared type. This one may be shared: restart with tracking.
        if (model.IsTracked && !c.IsTracking)
            throw new TrackingNeededException();
        return model.WriteReference(value, model.TypeId, p, c);
    }

    // Most references hold objects of one type many times. A type that can be unloaded is not cached, as this would prevent it.
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

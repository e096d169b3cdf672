using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Diagnostics;
using System.Linq;
using BigPile.Codec.Collections;
using BigPile.Codec.Fields;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Models;
using BigPile.Codec.Schema;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Resolution;

/// <summary>Chooses the model and the field codec of each type.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed partial class ModelFactory : IModelFactory
{
    // Lazy, because the types are in many assemblies: a process that stores only bytes and texts never loads them.
    private static readonly Lazy<IReadOnlyDictionary<string, Type>> FrameworkTypesByName = new(static () => FrameworkTypes.ByName);

    private readonly PileCodecOptions _options;
    private readonly bool _mayExtendContracts;
    private readonly ModelCache _models;
    private readonly ContractCodecs _contracts;
    private readonly ContractCodecs _plainContracts;

    public ModelFactory(ITypeIds ids, PileCodecOptions options, bool outlivesProcess, bool isNormal = false)
    {
        _options = options;
        IsNormal = isNormal;
        _mayExtendContracts = options.MayExtendContracts;
        _models = new ModelCache(ids, options, new TypeRegistry(options, outlivesProcess, FrameworkTypesByName), this);
        _contracts = new ContractCodecs(this, mayExtend: true);
        _plainContracts = new ContractCodecs(this, mayExtend: _mayExtendContracts);
    }

    /// <summary>Whether equal values are written by equal bytes.</summary>
    public bool IsNormal { get; }

    /// <summary>The cache of all models and codecs that this factory has made.</summary>
    public ModelCache Models => _models;

    /// <summary>Drops all models and codecs.</summary>
    public void Clear()
    {
        _models.Clear();
        _contracts.Clear();
        _plainContracts.Clear();
    }

    public FieldCodec MakeCodec(Type declared)
    {
        if (declared == typeof(string))
            return new StringCodec();
        if (LeafCodecs.TryGet(declared, out FieldCodec? leaf))
            return IsNormal ? NormalizedCodecs.Of(declared, leaf!) : leaf!;
        TrimmingCheck.ThrowIfTrimmed();
        if (declared.IsEnum)
            return _models.CodecFor(declared.GetEnumUnderlyingType());
        if (declared.IsConstructedGenericType && declared.GetGenericTypeDefinition() == typeof(ImmutableArray<>))
            return _models.CodecFor(declared.GetGenericArguments()[0].MakeArrayType());
        if (ViewedType(declared) is { } viewed)
            return MakeView(viewed, _models.CodecFor(viewed.MakeArrayType()));
        if (declared.IsPointer || declared.IsFunctionPointer)
            return new RefusedCodec(declared, StorableTypes.WhyRefused(declared));
        if (declared.IsValueType)
            return MakeValueCodec(declared);
        return UnionCodec.ListOf(declared).Any() ? MakeUnion(declared) : new ReferenceCodec(declared, _models);
    }

    public TypeModel MakeModel(Type type)
    {
        if (!LeafCodecs.IsPrimitive(type))
            TrimmingCheck.ThrowIfTrimmed();
        try
        {
            TypeModel model = MakeAnyModel(type);
            Debug.Assert(!model.IsSkipper && model.Type.IsValueType == type.IsValueType, "A model makes objects that have a type's place.");
            model.IsPlainRoot = IsPlain(type);
            return model;
        }
        catch (RefusedException e)
        {
            return new RefusedModel(type, e.Message, _models);
        }
    }

    private TypeModel MakeAnyModel(Type type)
    {
        if (StorableTypes.WhyNot(type) is not null)
            return new RefusedModel(type, StorableTypes.WhyRefused(type), _models);
        if (LossyTypes.WhyNot(type) is not null)
            return new RefusedModel(type, StorableTypes.WhyRefused(type), _models, isStillRead: true);
        if (RefusesFormatter(type))
            return new RefusedModel(type, WhyNoFormatter(type), _models, isStillRead: true);
        if (type.IsValueType)
            return MakeBoxed(type);
        if (type.IsArray && (type.GetElementType()!.IsPointer || type.GetElementType()!.IsFunctionPointer))
            return new RefusedModel(type, Reason(type.GetElementType()!), _models);
        if (TextModels.PublicType(type) is { } text)
            return TextModels.Make(text, _models);
        if (LossyTypes.CollectionExpressionElement(type) is { } element)
            return (TypeModel)Make(typeof(CollectionExpressionModel<>), [element], _models);
        if (PublicCollectionBase(type) is { } publicBase)
            type = publicBase;
        if (LookupBase(type) is { } lookup)
            type = lookup;
        if (IsContainer(type))
            return MakeContainer(type, ElementCodecs(type))!;
        if (!MayUseFields(type, out string? reason))
            return new RefusedModel(type, reason!, _models);
        return ContainerBase(type) is { } part ? MakeDerived(type, part) : MakeFields(type);
    }

    /// <summary>The element type of a <c>Memory</c> or <c>ReadOnlyMemory</c>; null for any other type. Those of bytes are leaves.</summary>
    public static Type? ViewedType(Type declared) => declared.IsConstructedGenericType
        && declared.GetGenericTypeDefinition() is var view && (view == typeof(Memory<>) || view == typeof(ReadOnlyMemory<>))
            ? declared.GetGenericArguments()[0]
            : null;

    public static FieldCodec MakeView(Type element, FieldCodec array) => (FieldCodec)Make(typeof(MemoryCodec<>), [element], array);

    private UnionCodec MakeUnion(Type declared) =>
        new(declared, UnionCodec.ListOf(declared).Select(m => (m.Key, m.Type, _models.CodecFor(m.Type))), _models);

    private FieldCodec MakeValueCodec(Type declared)
    {
        if (Nullable.GetUnderlyingType(declared) is { } inner)
            return MakeNullable(inner, _models.CodecFor(inner));
        if (StorableTypes.WhyNot(declared) is not null || LossyTypes.WhyNot(declared) is not null || !MayUseFields(declared, out _))
            return new RefusedCodec(declared, StorableTypes.WhyRefused(declared));
        if (RefusesFormatter(declared))
            return new RefusedCodec(declared, WhyNoFormatter(declared), always: true);
        return IsNamed(declared)
            ? new NamedStructCodec(new NamedFields(declared, MakePlans(declared)))
            : new StructCodec(MakeFieldList(declared));
    }

    private TypeModel MakeBoxed(Type type) => _models.CodecFor(type) switch
    {
        StructCodec structure => new FieldsModel(type, structure.Fields, _models),
        NamedStructCodec structure => new NamedFieldsModel(type, structure.Fields, _models),
        RefusedCodec => new RefusedModel(type, Reason(type), _models),
        var codec => new BoxedModel(type, codec, _models),
    };

    public static FieldCodec MakeNullable(Type inner, FieldCodec codec) => (FieldCodec)Make(typeof(NullableCodec<>), [inner], codec);

    private TypeModel MakeFields(Type type) => IsNamed(type)
        ? new NamedFieldsModel(type, new NamedFields(type, MakePlans(type)), _models)
        : new FieldsModel(type, MakeFieldList(type), _models);

    private FieldList MakeFieldList(Type type, Type? stopAt = null) => new(type, MakePlans(type, stopAt), _options.CodeGeneration);

    private FieldPlan[] MakePlans(Type type, Type? stopAt = null)
    {
        bool hasContract = Contract.Of(type) is not null;
        return [.. FieldListBuilder.FieldsOf(type, stopAt).ConvertAll(field => MakePlan(field, type, hasContract))];
    }

    private FieldPlan MakePlan(StoredField field, Type owner, bool hasContract)
    {
        if (field.Member is null)
            return new FieldPlan(field.Name, 0, new NilCodec());
        if (!hasContract)
            return FieldPlan.Of(field, _models.CodecFor(field.ValueType), owner);
        if (!IsPlain(owner))
            return FieldPlan.Of(field, _contracts.CodecFor(field.ValueType), owner);
        FieldCodec codec = field.HasFormatter
            ? new RefusedCodec(
                field.ValueType, PlainForm.WhyNot($"the member {field.Name}, which has a formatter of the application's"), always: true)
            : _plainContracts.CodecFor(field.ValueType);
        return FieldPlan.Of(field, codec, owner);
    }

    // Whether a type's payloads are in the plain format.
    private bool IsPlain(Type type) => !_mayExtendContracts && Contract.IsMessagePackObject(type);

    private static bool IsNamed(Type type) => Contract.Of(type) is { IsNamed: true };

    private static object Make(Type definition, Type[] arguments, params object[] parameters) =>
        Activator.CreateInstance(definition.MakeGenericType(arguments), parameters)!;
}

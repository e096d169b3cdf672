using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using BigPile.Codec.Collections;
using BigPile.Codec.Fields;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Models;
using BigPile.Codec.Schema;
using BigPile.Codec.Slots;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Choice;

/// <summary>Chooses how each type is written and read.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed partial class ModelFactory : IModelFactory
{
    // Made when a name is looked for: they lie in many assemblies, which a process that stores bytes and texts need not load.
    private static readonly Lazy<IReadOnlyDictionary<string, Type>> FrameworkTypesByName = new(static () => FrameworkTypes.ByName);

    private readonly PileCodecOptions _options;
    private readonly bool _mayExtendContracts;
    private readonly ModelCache _models;
    private readonly ContractSlots _contracts;
    private readonly ContractSlots _plainContracts;

    public ModelFactory(ITypeIds ids, PileCodecOptions options, bool outlivesProcess, bool isNormal = false)
    {
        _options = options;
        IsNormal = isNormal;
        _mayExtendContracts = options.MayExtendContracts;
        _models = new ModelCache(ids, options, new TypeRegistry(options, outlivesProcess, FrameworkTypesByName), this);
        _contracts = new ContractSlots(this, mayExtend: true);
        _plainContracts = new ContractSlots(this, mayExtend: _mayExtendContracts);
    }

    /// <summary>Whether values that are equal are written by the same bytes.</summary>
    public bool IsNormal { get; }

    /// <summary>What it has made.</summary>
    public ModelCache Models => _models;

    /// <summary>Lets go of all models and slots.</summary>
    public void Clear()
    {
        _models.Clear();
        _contracts.Clear();
        _plainContracts.Clear();
    }

    public Slot MakeSlot(Type declared)
    {
        if (declared == typeof(string))
            return new StringSlot();
        if (LeafSlots.TryGet(declared, out Slot? leaf))
            return IsNormal ? NormalSlots.Of(declared, leaf!) : leaf!;
        WholeProgram.Require();
        if (declared.IsEnum)
            return _models.SlotFor(declared.GetEnumUnderlyingType());
        if (declared.IsConstructedGenericType && declared.GetGenericTypeDefinition() == typeof(ImmutableArray<>))
            return _models.SlotFor(declared.GetGenericArguments()[0].MakeArrayType());
        if (ViewedType(declared) is { } viewed)
            return MakeView(viewed, _models.SlotFor(viewed.MakeArrayType()));
        if (declared.IsPointer || declared.IsFunctionPointer)
            return new RefusedSlot(declared, StorableTypes.WhyRefused(declared));
        if (declared.IsValueType)
            return MakeValueSlot(declared);
        return UnionSlot.ListOf(declared).Any() ? MakeUnion(declared) : new ReferenceSlot(declared, _models);
    }

    public TypeModel MakeModel(Type type)
    {
        if (!LeafSlots.IsPrimitive(type))
            WholeProgram.Require();
        try
        {
            TypeModel model = MakeAnyModel(type);
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
        if (LossyTypes.ExpressionElement(type) is { } element)
            return (TypeModel)Make(typeof(ExpressionModel<>), [element], _models);
        if (PublicCollectionBase(type) is { } publicBase)
            type = publicBase;
        if (LookupBase(type) is { } lookup)
            type = lookup;
        if (IsContainer(type))
            return MakeContainer(type, ElementSlots(type))!;
        if (!MayUseFields(type, out string? reason))
            return new RefusedModel(type, reason!, _models);
        return ContainerBase(type) is { } part ? MakeDerived(type, part) : MakeFields(type);
    }

    /// <summary>What the elements of a view are, or null for any other type. Views of bytes are values of their own.</summary>
    public static Type? ViewedType(Type declared) => declared.IsConstructedGenericType
        && declared.GetGenericTypeDefinition() is var view && (view == typeof(Memory<>) || view == typeof(ReadOnlyMemory<>))
            ? declared.GetGenericArguments()[0]
            : null;

    public static Slot MakeView(Type element, Slot array) => (Slot)Make(typeof(ViewSlot<>), [element], array);

    private UnionSlot MakeUnion(Type declared) =>
        new(declared, UnionSlot.ListOf(declared).Select(m => (m.Key, m.Type, _models.SlotFor(m.Type))), _models);

    private Slot MakeValueSlot(Type declared)
    {
        if (Nullable.GetUnderlyingType(declared) is { } inner)
            return MakeNullable(inner, _models.SlotFor(inner));
        if (StorableTypes.WhyNot(declared) is not null || LossyTypes.WhyNot(declared) is not null || !MayUseFields(declared, out _))
            return new RefusedSlot(declared, StorableTypes.WhyRefused(declared));
        if (RefusesFormatter(declared))
            return new RefusedSlot(declared, WhyNoFormatter(declared), always: true);
        return IsNamed(declared)
            ? new NamedStructSlot(new NamedFields(declared, MakePlans(declared)))
            : new StructSlot(MakeFieldList(declared));
    }

    private TypeModel MakeBoxed(Type type) => _models.SlotFor(type) switch
    {
        StructSlot structure => new FieldsModel(type, structure.Fields, _models),
        NamedStructSlot structure => new NamedFieldsModel(type, structure.Fields, _models),
        RefusedSlot => new RefusedModel(type, Reason(type), _models),
        var slot => new BoxedModel(type, slot, _models),
    };

    public static Slot MakeNullable(Type inner, Slot slot) => (Slot)Make(typeof(NullableSlot<>), [inner], slot);

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
            return new FieldPlan(field.Name, 0, new NilSlot());
        if (!hasContract)
            return FieldPlan.Of(field, _models.SlotFor(field.ValueType), owner);
        if (!IsPlain(owner))
            return FieldPlan.Of(field, _contracts.SlotFor(field.ValueType), owner);
        Slot slot = field.HasFormatter
            ? new RefusedSlot(
                field.ValueType, PlainForm.WhyNot($"the member {field.Name}, whose formatter is the application's own"), always: true)
            : _plainContracts.SlotFor(field.ValueType);
        return FieldPlan.Of(field, slot, owner);
    }

    // Whether a type's payloads are in the form of MessagePack-CSharp, without the pile's extensions.
    private bool IsPlain(Type type) => !_mayExtendContracts && Contract.IsMessagePackObject(type);

    private static bool IsNamed(Type type) => Contract.Of(type) is { IsNamed: true };

    private static object Make(Type definition, Type[] arguments, params object[] parameters) =>
        Activator.CreateInstance(definition.MakeGenericType(arguments), parameters)!;
}

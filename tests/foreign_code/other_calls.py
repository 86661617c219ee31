"""More calls, into packages that were chosen when those of `calls` and `more_calls` worked, as their own first pages show them."""

from calls import MODEL, Q4, SERIES, V3, W3
from more_calls import XYZ, XYZ2

# Packages that others call with functions of theirs.
ALSO_OTHER = {"ladybug": ["ladybug_geometry"]}

OTHER_CALLS = {
    "control": {
        "simple_pid": {
            "m.PID(a, b, 0.05, setpoint=1.0, sample_time=None)(0.3, dt=0.1)": (1.0, 0.1),
            "(lambda p: [p(a, dt=0.1), p(b, dt=0.1)])(m.PID(1.0, 0.1, 0.05, setpoint=1.0, sample_time=None, output_limits=(-10, 10)))": (0.3, 0.5),
        },
    },
    "geodesy": {
        "gpxpy.geo": {
            "m.haversine_distance(a, b, 48.0, 2.0)": (45.7, 4.8),
            "m.distance(a, b, 10.0, 45.71, 4.81, 20.0)": (45.7, 4.8),
            "m.get_course(a, b, 48.0, 2.0)": (45.7, 4.8),
            "m.length([m.Location(a, b), m.Location(45.8, 4.7), m.Location(45.9, 4.9)])": (45.7, 4.8),
        },
        "s2sphere": {
            "m.LatLng.from_degrees(a, b).get_distance(m.LatLng.from_degrees(48.0, 2.0)).degrees": (45.7, 4.8),
            "(lambda p: [p[0], p[1], p[2]])(m.LatLng.from_degrees(a, b).to_point())": (45.7, 4.8),
            "m.Cap.from_axis_height(m.LatLng.from_degrees(a, 4.8).to_point(), b).angle().degrees": (45.7, 0.3),
        },
        "pykrige.ok": {
            "m.OrdinaryKriging(np.array([0.0, 1.0, 0.3]), np.array([0.1, 0.4, 1.0]), a, variogram_model='linear', variogram_parameters=[1.0, 0.1]).execute('points', np.array([0.5]), np.array([0.5]))[0]": ([1.0, 2.0, 1.5],),
        },
        "pykrige.variogram_models": {
            "m.gaussian_variogram_model([a, b, 0.1], np.array([0.5, 1.0]))": (1.0, 2.0),
        },
        "pykrige.uk": {
            "m.UniversalKriging(a, np.array([0.1, 0.4, 1.0, 0.8]), np.array([1.0, 2.0, 1.5, 0.7]), variogram_model='exponential', variogram_parameters=[1.0, 2.0, 0.1]).execute('points', np.array([0.5]), np.array([0.5]))[0]": ([0.0, 1.0, 0.3, 0.8],),
        },
    },
    "optics": {
        "LightPipes": {
            "m.Intensity(0, m.Forvard(m.Lens(m.CircAperture(m.Begin(0.005, 5e-7, 8), 0.001), a), b))": (1.0, 0.5),
            "m.Intensity(m.Fresnel(m.GaussBeam(m.Begin(0.005, 5e-7, 8), a), b))": (0.001, 0.5),
            "m.Phase(m.Zernike(m.Begin(0.005, 5e-7, 8), 2, 0, 0.002, a))": (1e-8,),
        },
        "zernpy": {
            "m.ZernPol(m=-1, n=3).polynomial_value(a, b)": (0.5, 0.3),
            "m.ZernPol(m=2, n=4).radial(a)": ([0.5, 0.2],),
            "m.ZernPol.sum_zernikes([a, b], [m.ZernPol(m=0, n=2), m.ZernPol(m=1, n=1)], 0.4, 0.2)": (0.5, 0.3),
        },
    },
    "astronomy": {
        "colossus.cosmology.cosmology": {
            "m.setCosmology('planck18', persistence='').Hz(a)": (0.5,),
            "m.setCosmology('planck18', persistence='').comovingDistance(0.0, a)": (0.5,),
            "m.setCosmology('planck18', persistence='').growthFactorUnnormalized(a)": (0.5,),
            "m.setCosmology('planck18', persistence='', interpolation=False).rho_c(a)": (0.5,),
        },
    },
    "robotics": {
        "pybotics.robot": {
            "m.Robot.from_parameters(__import__('pybotics.predefined_models').predefined_models.ur10()).fk(a)": ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6],),
        },
        "pybotics.geometry": {
            "m.vector_2_matrix(a)": ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6],),
            "m.matrix_2_vector(m.vector_2_matrix(a))": ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6],),
        },
        "pybotics.kinematic_chain": {
            "m.MDHKinematicChain(np.array([[0.1, 0.2, 0.3, 0.4]])).transforms(a)": ([0.3],),
        },
        "ikpy.utils.geometry": {
            "m.rpy_matrix(a, b, 0.3)": (0.1, 0.2),
            "m.axis_rotation_matrix(a, b)": ([0.0, 0.6, 0.8], 0.3),
        },
        "ikpy": {
            "(lambda k, l: k.Chain([l.OriginLink(), l.URDFLink('e', [0.0, 0.0, 0.5], [0.1, 0.2, 0.0], [0, 1, 0]), l.URDFLink('f', [0.3, 0.0, 0.0], [0.0, 0.0, 0.1], [0, 0, 1])]).forward_kinematics(a))(__import__('ikpy.chain').chain, __import__('ikpy.link').link)": ([0.0, 0.3, 0.4],),
        },
    },
    "statistics": {
        "allantools": {
            "m.adev(a, rate=1.0, data_type='phase', taus=[1.0, 2.0])[1]": (SERIES,),
            "m.oadev(a, rate=1.0, data_type='freq', taus=[1.0, 2.0])[1]": (SERIES,),
            "m.frequency2phase(a, b)": (SERIES, 2.0),
            "m.mdev(a, rate=1.0, taus=[1.0, 2.0])[1]": (SERIES,),
        },
        "scoringrules": {
            "m.crps_normal(0.3, a, b)": (0.1, 1.2),
            "m.crps_ensemble(0.3, a)": ([0.1, 0.5, 0.9],),
            "m.logs_logistic(0.3, a, b)": (0.1, 1.2),
            "m.crps_gamma(0.3, a, b)": (2.1, 1.2),
            "m.energy_score(a, b)": (V3, XYZ),
        },
        "emcee.autocorr": {
            "m.function_1d(a)": (SERIES,),
            "m.integrated_time(a, c=1, tol=0)": (SERIES * 4,),
        },
        "powerlaw": {
            "m.Power_Law(xmin=1.0, parameters=[a]).pdf(np.array([1.5, 2.5]))": (2.5,),
            "m.Fit(a, xmin=1.0).power_law.alpha": (SERIES,),
        },
        "dtaidistance.dtw": {
            "m.distance(a, b)": (SERIES, MODEL),
        },
        "dtaidistance.ed": {
            "m.distance(a, b)": (SERIES, MODEL),
        },
    },
    "units": {
        "pint": {
            "m.UnitRegistry().Quantity(a, 'km').to('mile').magnitude": (1.3,),
            "(lambda u: (u.Quantity(a, 'm') / u.Quantity(b, 's')).to('km/h').magnitude)(m.UnitRegistry())": (1.3, 0.7),
            "(lambda u: (u.Quantity(a, 'm') @ u.Quantity(b, 'N')).to('kJ').magnitude)(m.UnitRegistry())": (V3, W3),
            "(lambda u: np.sqrt(u.Quantity(a, 'm^2')).to('cm').magnitude)(m.UnitRegistry())": ([1.3, 0.7],),
        },
    },
    "signal processing": {
        "commpy.filters": {
            "m.rrcosfilter(8, a, b, 4)[1]": (0.35, 1.0),
            "m.gaussianfilter(8, a, b, 4)[1]": (0.35, 1.0),
        },
        "commpy.utilities": {
            "m.signal_power(a)": (SERIES,),
        },
        "commpy.modulation": {
            "m.QAMModem(4).demodulate(a + 0.2j, 'soft', b)": ([0.3, -0.5], 0.5),
        },
        "MFDFA": {
            "m.MFDFA(a, lag=np.array([4, 8]), q=np.array([2.0]), order=1)[1]": (SERIES * 2,),
        },
        "pybaselines": {
            "m.Baseline(np.arange(8.0)).asls(a, lam=10.0)[0]": (SERIES,),
            "m.Baseline(np.arange(8.0)).modpoly(a, 2)[0]": (SERIES,),
        },
        "pybaselines.polynomial": {
            "m.poly(a, np.arange(8.0), 2)[0]": (SERIES,),
        },
        "pybaselines.whittaker": {
            "m.airpls(a, lam=10.0)[0]": (SERIES,),
        },
        "pycwt": {
            "m.cwt(a, 0.25, s0=0.5, J=4)[0]": (SERIES,),
            "m.Morlet(6).psi_ft(a)": ([5.0, 6.5],),
        },
        "pycwt.helpers": {
            "m.ar1(a)[0]": (SERIES * 2,),
        },
        "pyargus.directionEstimation": {
            "m.DOA_Bartlett(a + 0j, m.gen_ula_scanning_vectors(np.array([0.0, 0.5]), np.array([30.0, 60.0])))": ([[1.0, 0.3], [0.3, 1.2]],),
            "m.gen_ula_scanning_vectors(a, b)": ([0.0, 0.5], [30.0, 60.0]),
            "m.DOA_Capon(a + 0j, m.gen_ula_scanning_vectors(np.array([0.0, 0.5]), np.array([30.0, 60.0])))": ([[1.0, 0.3], [0.3, 1.2]],),
        },
    },
    "chemistry": {
        "nmrglue.process.proc_base": {
            "m.em(a + 0j, lb=b)": (SERIES, 0.1),
            "m.ps(m.fft(a + 0j), p0=b, p1=3.0)": (SERIES, 10.0),
            "m.sp(a, off=b, end=0.9, pow=2.0)": (SERIES, 0.35),
        },
        "nmrglue.analysis.lineshapes1d": {
            "m.sim_gauss_fwhm(np.arange(5.0), a, b)": (2.0, 1.3),
        },
        "ase": {
            "m.Atoms('Ar4', positions=a, calculator=__import__('ase.calculators.lj').calculators.lj.LennardJones()).get_potential_energy()": ([[x * 3 for x in row] for row in XYZ],),
            "m.Atoms('Ar4', positions=a).get_angle(0, 1, 2)": (XYZ,),
            "m.Atoms('Ar4', positions=a).get_all_distances()": (XYZ,),
        },
        "ase.cell": {
            "m.Cell.fromcellpar([a, b, 5.0, 80.0, 90.0, 100.0]).volume": (3.0, 4.0),
        },
        "ase.eos": {
            "m.birchmurnaghan(np.array([10.0, 12.0]), -3.0, a, b, 11.0)": (1.1, 4.2),
        },
        "peptides": {
            "m.Peptide('MLKAYDE').charge(pH=a)": (6.5,),
        },
        "procrustes": {
            "m.orthogonal(a, b).error": (XYZ, XYZ2),
            "m.rotational(a, b, translate=True, scale=True).t": (XYZ, XYZ2),
        },
    },
    "colour": {
        "hsluv": {
            "m.hsluv_to_rgb([a, b, 50.0])": (120.0, 60.0),
            "m.rgb_to_hsluv([a, b, 0.3])": (0.2, 0.6),
            "m.rgb_to_hpluv([a, b, 0.3])": (0.4, 0.5),
        },
        "basic_colormath": {
            "m.get_delta_e((a, b, 30.0), (100.0, 20.0, 40.0))": (120.0, 60.0),
            "m.rgb_to_hsv((a, b, 30.0))": (120.0, 60.0),
            "m.rgb_to_lab((a, b, 30.0))": (120.0, 60.0),
        },
        "pyciede2000": {
            "m.ciede2000((a, b, 3.0), (51.0, 2.0, 3.0))['delta_E_00']": (50.0, 20.0),
        },
    },
    "materials": {
        "diffpy.structure": {
            "m.Lattice(a, b, 5.0, 80.0, 90.0, 100.0).volume": (3.0, 4.0),
            "m.Lattice(a, b, 5.0, 80.0, 90.0, 100.0).cartesian([0.1, 0.2, 0.3])": (3.0, 4.0),
            "m.Lattice(3.0, 4.0, 5.0, 80.0, 90.0, 100.0).dist(a, b)": (V3, W3),
        },
    },
    "mechanics": {
        "skfem": {
            "m.Functional(lambda w: a * w.x[0] ** 2).assemble(m.Basis(m.MeshLine().refined(2), m.ElementLineP1()))": (1.3,),
        },
        "solidspy.uelutil": {
            "m.elast_quad4(a, (b, 0.3, 1.0))[0]": ([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]], 2.0),
            "m.elast_tri3(a, (b, 0.3, 1.0))[0]": ([[0.0, 0.0], [1.0, 0.1], [0.2, 1.0]], 2.0),
        },
        "rainflow": {
            "[c[:3] for c in m.extract_cycles(a)]": ([-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0],),
        },
        "fatpack": {
            "m.find_rainflow_ranges(a, k=256)": ([-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0],),
            "m.LinearEnduranceCurve(a).get_endurance(b)": (90.0, [50.0, 70.0]),
        },
        "calfem.core": {
            "m.bar2e([0.0, a], [0.0, b], [200.0, 0.3])": (1.0, 2.0),
            "m.beam2e([0.0, a], [0.0, b], [200.0, 0.3, 0.02])": (1.0, 2.0),
            "m.plante([0.0, a, 0.2], [0.0, 0.1, b], [1, 1.0], m.hooke(1, 200.0, 0.3))": (1.0, 2.0),
            "m.hooke(2, a, b)": (200.0, 0.3),
        },
    },
    "aerospace": {
        "openap.aero": {
            "[m.pressure(a), m.density(a), m.vsound(a)]": (5000.0,),
            "m.tas2cas(a, b)": (200.0, 8000.0),
            "m.distance(a, b, 51.0, 4.0)": (52.0, 4.5),
        },
        "openap": {
            "m.Drag('A320').clean(mass=a, tas=b, alt=20000)": (60000.0, 300.0),
            "m.Thrust('A320').climb(tas=a, alt=b, roc=1000)": (300.0, 20000.0),
            "m.FuelFlow('A320').enroute(mass=a, tas=b, alt=20000)": (60000.0, 300.0),
        },
        "pygasflow.isentropic": {
            "m.pressure_ratio(a)": (1.5,),
            "m.m_from_critical_area_ratio(a, 'sub')": (1.5,),
        },
        "pygasflow.solvers": {
            "m.isentropic_solver('m', a)[1:]": (1.5,),
        },
        "pygasflow.shockwave": {
            "m.pressure_ratio(a, 1.4)": (1.5,),
        },
    },
    "games": {
        "trueskill": {
            "(lambda r: [r[0].mu, r[1].sigma])(m.rate_1vs1(m.Rating(a, b), m.Rating(26.0, 8.0)))": (25.0, 8.3),
            "m.quality_1vs1(m.Rating(a, b), m.Rating(26.0, 8.0))": (25.0, 8.3),
        },
        "nashpy": {
            "m.Game(a, b)[np.array([0.3, 0.7]), np.array([0.6, 0.4])]": ([[1.0, 2.0], [3.0, 0.5]], [[2.0, 1.0], [0.3, 1.5]]),
        },
        "nashpy.learning.replicator_dynamics": {
            "m.get_derivative_of_fitness(a, 0.0, b)": ([0.3, 0.7], [[1.0, 2.0], [3.0, 0.5]]),
        },
        "choix": {
            "m.log_likelihood_pairwise([(0, 1), (1, 2)], a)": (V3,),
            "m.probabilities([0, 1, 2], a)": (V3,),
        },
        "perlin_noise": {
            "m.PerlinNoise(octaves=2.0, seed=1)([a, b])": (0.3, 0.4),
        },
    },
    "graphics": {
        "trimesh.transformations": {
            "m.euler_matrix(a, b, 0.3)": (0.1, 0.2),
            "m.quaternion_from_matrix(m.euler_matrix(a, b, 0.3))": (0.1, 0.2),
            "m.rotation_matrix(a, b)": (0.3, V3),
        },
        "trimesh": {
            "m.Trimesh(vertices=a, faces=[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]], process=False).area": (XYZ,),
        },
        "trimesh.triangles": {
            "m.area(a)": ([[[0.0, 0.0, 0.0], [1.0, 0.1, 0.2], [0.2, 1.0, 0.3]]],),
        },
        "vg": {
            "m.angle(a, b)": (V3, W3),
            "m.normalize(a)": (V3,),
            "m.rotate(a, around_axis=b, angle=30)": (V3, W3),
            "[m.perpendicular(a, b), m.project(a, onto=b)]": (V3, W3),
        },
        "ladybug_geometry.geometry3d.pointvector": {
            "(lambda v: [v.x, v.y, v.z])(m.Vector3D(a, b, 0.3).rotate(m.Vector3D(0, 0, 1), 0.3).normalize())": (1.0, 2.0),
        },
        "splines": {
            "m.CatmullRom(a, endconditions='closed').evaluate(0.3)": (XYZ,),
            "m.Natural(a).evaluate([0.3, 1.6])": (XYZ,),
            "m.PiecewiseMonotoneCubic(a).evaluate(1.3)": ([1.0, 2.0, 2.3, 4.0],),
        },
        "splines.quaternion": {
            "(lambda q: [q.scalar, *q.vector])(m.slerp(m.UnitQuaternion.from_unit_xyzw(a / np.sqrt(np.sum(a * a))), m.UnitQuaternion(), 0.3))": (Q4,),
        },
        "svg.path": {
            "m.CubicBezier(0j, a + 1j, 2 + b * 1j, 3 + 0j).length(error=1e-5)": (1.0, 2.0),
            "m.Arc(0j, a + 1j, 0.0, 0, 0, 1 + b * 1j).point(0.3)": (2.0, 0.5),
            "m.QuadraticBezier(0j, a + b * 1j, 3 + 0j).length()": (1.0, 2.0),
        },
        "euclid3": {
            "abs(m.Vector3(a, b, 0.3).cross(m.Vector3(1.0, 2.0, 3.0)))": (1.0, 2.0),
            "(lambda v: [v.x, v.y, v.z])(m.Quaternion.new_rotate_axis(a, m.Vector3(0.0, 1.0, 0.0)) * m.Vector3(b, 2.0, 3.0))": (0.3, 2.0),
        },
        "skspatial.objects": {
            "m.Point(a).distance_point(b)": (V3, W3),
            "m.Line(point=[0.0, 0.0, 0.0], direction=a).project_point(b)": (V3, W3),
            "m.Plane(point=[0.0, 0.1, 0.0], normal=a).distance_point(b)": (V3, W3),
        },
    },
    "physics": {
        "vector": {
            "(lambda v: [v.theta, v.rho, v.eta])(m.obj(x=a, y=b, z=0.3))": (1.0, 2.0),
            "m.obj(pt=a, phi=b, eta=1.0, mass=0.5).E": (1.0, 0.3),
            "m.obj(pt=a, phi=b, eta=1.0).deltaR(m.obj(pt=1.0, phi=0.1, eta=0.2))": (1.0, 0.3),
            "m.array({'x': a, 'y': b}).rho": (V3, W3),
        },
    },
    "energy": {
        "ladybug.psychrometrics": {
            "m.humid_ratio_from_db_rh(a, b)": (25.0, 50.0),
            "m.wet_bulb_from_db_rh(a, b)": (25.0, 50.0),
            "[m.dew_point_from_db_rh(a, b), m.enthalpy_from_db_hr(a, 0.01)]": (25.0, 50.0),
        },
        "ladybug.sunpath": {
            "m.Sunpath(a, b).calculate_sun(6, 21, 9.5).altitude": (40.0, -74.0),
        },
    },
    "oceanography": {
        "raschii": {
            "m.StokesWave(height=a, depth=b, length=12.0, N=3).surface_elevation([0.0, 1.0])": (0.5, 4.0),
            "m.AiryWave(height=a, depth=b, length=12.0).velocity(0.3, 3.2)": (0.5, 4.0),
            "m.FentonWave(height=a, depth=b, length=12.0, N=3).surface_elevation([0.0, 1.0])": (0.5, 4.0),
        },
    },
    "geology": {
        "mplstereonet": {
            "m.pole(a, b)": (30.0, 40.0),
            "m.stereonet_math.line(a, b)": (30.0, 40.0),
            "m.plane_intersection(a, b, 120.0, 30.0)": (30.0, 40.0),
        },
        "mplstereonet.stereonet_math": {
            "m.mean_vector(a, b)[1]": ([0.1, 0.3, 0.2], [0.3, 0.2, 0.5]),
        },
    },
    "imaging": {
        "nibabel.eulerangles": {
            "m.euler2mat(a, b, 0.3)": (0.1, 0.2),
        },
        "nibabel.quaternions": {
            "m.quat2mat(a)": (Q4,),
            "m.mat2quat(m.quat2mat(a))": (Q4,),
        },
        "nibabel.affines": {
            "m.apply_affine(a, b)": ([[1.0, 0.1, 0.2, 3.0], [0.0, 2.0, 0.3, 1.0], [0.1, 0.2, 1.5, 2.0], [0.0, 0.0, 0.0, 1.0]], XYZ),
            "m.voxel_sizes(a)": ([[1.0, 0.1, 0.2, 3.0], [0.0, 2.0, 0.3, 1.0], [0.1, 0.2, 1.5, 2.0], [0.0, 0.0, 0.0, 1.0]],),
        },
        "cameratransform": {
            "m.Camera(m.RectilinearProjection(focallength_px=a, image=(640, 480)), m.SpatialOrientation(elevation_m=b, tilt_deg=45)).imageFromSpace([[3.0, 10.0, 0.0]])": (800.0, 5.0),
            "m.Camera(m.RectilinearProjection(focallength_px=800.0, image=(640, 480)), m.SpatialOrientation(elevation_m=a, tilt_deg=b)).spaceFromImage([[300.0, 250.0]])": (5.0, 45.0),
        },
    },
    "text": {
        "rank_bm25": {
            "m.BM25Okapi([['a', 'b'], ['b', 'c', 'c'], ['d']], k1=a, b=b).get_scores(['b', 'c'])": (1.5, 0.75),
            "m.BM25Plus([['a', 'b'], ['b', 'c', 'c'], ['d']], k1=a, b=b).get_scores(['b', 'c'])": (1.5, 0.75),
        },
    },
    "numerics": {
        "findiff": {
            "m.Diff(0, 0.1)(a)": (SERIES,),
            "m.FinDiff(0, b, 2)(a)": (SERIES, 0.1),
        },
        "numdifftools": {
            "m.Derivative(lambda x: np.sin(a * x))(b)": (1.3, 0.4),
            "m.Gradient(lambda x: np.sum(x**2) * a)([1.0, 2.0])": (1.3,),
        },
    },
    "optimization": {
        "cma": {
            "m.ff.rosen(a)": (V3,),
            "[m.ff.elli(a), m.ff.rastrigin(a), m.ff.cigar(a)]": (V3,),
        },
        "opfunu.name_based": {
            "m.Ackley02(ndim=2).evaluate(a)": ([0.3, 0.4],),
        },
        "opfunu.cec_based": {
            "m.F12005(ndim=10).evaluate(a)": ([0.1 * k for k in range(10)],),
        },
        "pyunlocbox.functions": {
            "m.norm_l2(y=b).eval(a)": (V3, W3),
            "m.norm_l1(lambda_=b).prox(a, 0.3)": (V3, 0.5),
            "m.norm_tv().eval(a)": ([[0.1, 0.5, 0.3], [0.4, 0.9, 0.2], [0.7, 0.3, 0.5]],),
        },
    },
    "fuzzy logic": {
        "skfuzzy": {
            "m.trimf(np.arange(5.0), [0.0, a, b])": (1.5, 3.7),
            "m.gaussmf(np.arange(5.0), a, b)": (1.5, 0.7),
            "m.defuzz(np.arange(8.0), a, 'centroid')": ([0.1, 0.3, 0.9, 0.7, 0.5, 0.2, 0.1, 0.0],),
            "m.interp_membership(np.arange(5.0), a, b)": ([0.1, 0.3, 0.9, 0.7, 0.5], 2.3),
        },
        "simpful": {
            "(lambda F: (F.add_linguistic_variable('S', m.LinguisticVariable([m.FuzzySet(points=[[0.0, 1.0], [5.0, 0.0]], term='p'), m.FuzzySet(points=[[0.0, 0.0], [5.0, 1.0]], term='g')], universe_of_discourse=[0, 5])), F.set_crisp_output_value('low', b), F.set_crisp_output_value('high', 25.0), F.add_rules(['IF (S IS p) THEN (T IS low)', 'IF (S IS g) THEN (T IS high)']), F.set_variable('S', a), F.Sugeno_inference(['T'])['T'])[-1])(m.FuzzySystem(show_banner=False))": (2.0, 5.0),
            "m.FuzzySet(function=m.Triangular_MF(a=0.0, b=a, c=3.0)).get_value(b)": (1.5, 1.0),
        },
    },
    "epidemiology": {
        "EoN": {
            "m.SIR_homogeneous_meanfield(990.0, 10.0, 0.0, 5, a, b, tmin=0, tmax=2, tcount=3)[2]": (0.3, 0.4),
            "m.estimate_R0(m.nx.path_graph(4), a, b)": (0.3, 0.4),
        },
    },
    "finance": {
        "talipp.indicators": {
            "list(m.EMA(period=3, input_values=list(a)))[2:]": (SERIES,),
            "list(m.RSI(period=3, input_values=list(a)))[3:]": (SERIES,),
        },
        "bond_pricing": {
            "m.bond_price(settle=0, cpn=a, mat=10, yld=b, freq=2)": (0.05, 0.06),
            "m.bond_duration(settle=0, cpn=a, mat=10, yld=b, freq=2)": (0.05, 0.06),
        },
    },
}  # fmt: skip
